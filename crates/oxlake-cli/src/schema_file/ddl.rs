//! Columns as `name type` pairs, with the type names of Spark SQL.
//!
//! ```text
//! id bigint not null, name string, price decimal(10,2), tags array<string>,
//! at timestamp, home struct<street: string, zip: int>
//! ```

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, Schema, TimeUnit};

type Parsed<T> = std::result::Result<T, String>;

/// Parses a list of columns, separated by commas or line ends, with or without parentheses around
/// it.
pub(super) fn parse(text: &str) -> Parsed<Schema> {
    let mut words = Words { rest: text };
    let closing = words.skip('(').then_some(')');
    let mut fields = Vec::new();
    loop {
        while words.skip(',') {}
        if words.at_end() || closing.is_some_and(|closing| words.skip(closing)) {
            break;
        }
        fields.push(words.field()?);
    }
    if fields.is_empty() {
        return Err("there is no column in it".to_owned());
    }
    Ok(Schema::new(fields))
}

/// What is left to read.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// Deepest nesting of types that is read.
    const DEEPEST: usize = 32;

    fn at_end(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.is_empty()
    }

    fn skip(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.skip(mark) {
            return Ok(());
        }
        Err(format!("expected '{mark}' before '{}'", self.excerpt()))
    }

    fn excerpt(&self) -> String {
        self.rest
            .chars()
            .take_while(|c| *c != '\n')
            .take(20)
            .collect()
    }

    fn word(&mut self) -> Parsed<&'a str> {
        self.rest = self.rest.trim_start();
        if let Some(quoted) = self.rest.strip_prefix(['`', '"']) {
            let (word, rest) = quoted
                .split_once(['`', '"'])
                .ok_or("a quote is not closed")?;
            self.rest = rest;
            return Ok(word);
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(format!("expected a name before '{}'", self.excerpt()));
        }
        self.rest = rest;
        Ok(word)
    }

    /// Takes the words if they come next, whatever their case.
    fn skip_words(&mut self, words: &[&str]) -> bool {
        let start = self.rest;
        for expected in words {
            if !self
                .word()
                .is_ok_and(|word| word.eq_ignore_ascii_case(expected))
            {
                self.rest = start;
                return false;
            }
        }
        true
    }

    fn field(&mut self) -> Parsed<Field> {
        let name = self.word()?.to_owned();
        self.skip(':');
        let data_type = self.data_type(0)?;
        let nullable = !self.skip_words(&["not", "null"]);
        Ok(Field::new(name, data_type, nullable))
    }

    fn data_type(&mut self, depth: usize) -> Parsed<DataType> {
        if depth > Self::DEEPEST {
            return Err("types are nested too deep".to_owned());
        }
        let name = self.word()?.to_ascii_lowercase();
        Ok(match name.as_str() {
            "boolean" | "bool" => DataType::Boolean,
            "int" | "integer" => DataType::Int32,
            "bigint" | "long" => DataType::Int64,
            "float" | "real" => DataType::Float32,
            "double" => DataType::Float64,
            "string" | "text" | "varchar" => DataType::Utf8,
            "binary" | "bytes" => DataType::Binary,
            "date" => DataType::Date32,
            "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            "timestamp_ntz" => DataType::Timestamp(TimeUnit::Microsecond, None),
            "decimal" | "numeric" => self.decimal()?,
            "array" => self.array(depth)?,
            "map" => self.map(depth)?,
            "struct" => self.structure(depth)?,
            _ => return Err(format!("'{name}' is not a type")),
        })
    }

    fn decimal(&mut self) -> Parsed<DataType> {
        if !self.skip('(') {
            return Ok(DataType::Decimal128(10, 0));
        }
        let precision = self.number()?;
        let scale = if self.skip(',') { self.number()? } else { 0 };
        self.expect(')')?;
        if precision == 0 || precision > 38 || scale > precision {
            return Err(format!("decimal({precision},{scale}) does not exist"));
        }
        Ok(DataType::Decimal128(
            precision,
            i8::try_from(scale).unwrap_or(0),
        ))
    }

    fn number(&mut self) -> Parsed<u8> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| format!("'{word}' is not a number of digits"))
    }

    fn array(&mut self, depth: usize) -> Parsed<DataType> {
        self.expect('<')?;
        let element = self.data_type(depth + 1)?;
        self.expect('>')?;
        Ok(DataType::List(Arc::new(Field::new_list_field(
            element, true,
        ))))
    }

    fn map(&mut self, depth: usize) -> Parsed<DataType> {
        self.expect('<')?;
        let key = self.data_type(depth + 1)?;
        if key != DataType::Utf8 {
            return Err("the keys of a map are strings".to_owned());
        }
        self.expect(',')?;
        let value = self.data_type(depth + 1)?;
        self.expect('>')?;
        let entry = Fields::from(vec![
            Field::new("key", key, false),
            Field::new("value", value, true),
        ]);
        let entries = Field::new("key_value", DataType::Struct(entry), false);
        Ok(DataType::Map(Arc::new(entries), false))
    }

    fn structure(&mut self, depth: usize) -> Parsed<DataType> {
        self.expect('<')?;
        let mut fields = Vec::new();
        loop {
            let name = self.word()?.to_owned();
            self.skip(':');
            let data_type = self.data_type(depth + 1)?;
            let nullable = !self.skip_words(&["not", "null"]);
            fields.push(Field::new(name, data_type, nullable));
            if !self.skip(',') {
                break;
            }
        }
        self.expect('>')?;
        Ok(DataType::Struct(fields.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str) -> Parsed<Vec<String>> {
        let print = |field: &Arc<Field>| {
            let null = if field.is_nullable() { "" } else { " not null" };
            format!("{}: {}{null}", field.name(), field.data_type())
        };
        Ok(parse(text)?.fields().iter().map(print).collect())
    }

    #[test]
    fn flat_types_are_read_with_spark_names() {
        let text = "id BIGINT NOT NULL, name string,\n `odd name` double\nprice decimal(10, 2), at timestamp,";
        assert_eq!(
            columns(text).unwrap(),
            [
                "id: Int64 not null",
                "name: Utf8",
                "odd name: Float64",
                "price: Decimal128(10, 2)",
                "at: Timestamp(µs, \"UTC\")",
            ]
        );
        assert_eq!(
            columns("(a int, b date)").unwrap(),
            ["a: Int32", "b: Date32"]
        );
    }

    #[test]
    fn nested_types_are_read() {
        let schema =
            parse("a array<map<string, struct<x: int not null, y: array<double>>>>").unwrap();
        let DataType::List(element) = schema.field(0).data_type() else {
            panic!("{schema}")
        };
        let DataType::Map(entries, _) = element.data_type() else {
            panic!("{schema}")
        };
        let DataType::Struct(entry) = entries.data_type() else {
            panic!("{schema}")
        };
        let DataType::Struct(value) = entry[1].data_type() else {
            panic!("{schema}")
        };
        assert_eq!(value.len(), 2);
        assert!(!value[0].is_nullable());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, problem) in [
            ("", "there is no column in it"),
            ("id", "expected a name before ''"),
            ("id wrong", "'wrong' is not a type"),
            ("id array<int", "expected '>' before ''"),
            ("id decimal(50,2)", "decimal(50,2) does not exist"),
            ("id map<int,int>", "the keys of a map are strings"),
            ("`id int", "a quote is not closed"),
        ] {
            assert_eq!(columns(text), Err(problem.to_owned()), "{text}");
        }
        assert!(
            columns(&format!("a {}", "array<".repeat(100)))
                .unwrap_err()
                .contains("too deep")
        );
    }
}
