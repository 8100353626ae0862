//! `s3://bucket/path` and `s3a://bucket/path`: S3 and what speaks like it.

use std::collections::BTreeMap;
use std::sync::Arc;

use object_store::ClientConfigKey;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as Key};

use super::client::{self, Translated};
use super::{Address, Opened};
use crate::error::Origin;
use crate::{Error, Result};

const CREDENTIALS: &str = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or --conf \
    aws_access_key_id=… --conf aws_secret_access_key=…) to a key that may read and write there";

const ANONYMOUS: &str = "no credentials were found: set AWS_ACCESS_KEY_ID and \
    AWS_SECRET_ACCESS_KEY (or --conf aws_access_key_id=… --conf aws_secret_access_key=…); for a public \
    bucket --conf aws_skip_signature=true";

const WHERE: &str = "set AWS_ENDPOINT_URL (or --conf aws_endpoint=http://host:port) for another store \
    than Amazon's, AWS_REGION (or --conf aws_region=…) for another region than us-east-1";

pub(super) fn open(address: &Address, conf: &BTreeMap<String, String>) -> Result<Opened> {
    if address.host.is_empty() {
        return Err(address.refuse("the bucket is missing: s3://bucket/path"));
    }
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&address.host)
        .with_config(
            Key::Client(ClientConfigKey::ConnectTimeout),
            client::CONNECT_TIMEOUT,
        )
        .with_retry(client::retry(conf)?);
    for (key, value) in conf {
        builder = match hadoop(key, value, conf) {
            Some((option, value)) => builder.with_config(option, value),
            None => match client::translate(key, value, "aws_") {
                Translated::Option(option, value) => builder.with_config(option, value),
                Translated::Unknown => return Err(client::unknown(key)),
                Translated::Foreign => builder,
            },
        };
    }
    // The bucket is the address's, whatever the options say.
    builder = builder.with_bucket_name(&address.host);
    let endpoint = endpoint(&builder);
    if endpoint
        .as_ref()
        .is_some_and(|endpoint| endpoint.starts_with("http://"))
    {
        builder = builder.with_allow_http(true);
    }
    let shown = endpoint.unwrap_or_else(|| {
        let region = builder
            .get_config_value(&Key::Region)
            .unwrap_or_else(|| "us-east-1".into());
        format!("https://s3.{region}.amazonaws.com")
    });
    if builder.get_config_value(&Key::ConditionalPut).as_deref() == Some("disabled") {
        let key = "aws_conditional_put".to_owned();
        return Err(Error::ConditionalPutDisabled {
            address: shown,
            key,
        });
    }
    let store = builder
        .build()
        .map_err(|error| client::refused("aws_*", &error))?;
    let origin = Origin {
        address: shown,
        bucket: address.host.clone(),
        credentials_remedy: CREDENTIALS,
        address_remedy: WHERE,
        anonymous_remedy: ANONYMOUS,
    };
    Ok(Opened {
        store: Arc::new(store),
        origin,
    })
}

fn endpoint(builder: &AmazonS3Builder) -> Option<String> {
    builder
        .get_config_value(&Key::S3Endpoint)
        .or_else(|| builder.get_config_value(&Key::Endpoint))
        .filter(|endpoint| !endpoint.is_empty())
}

/// The option a Hadoop name stands for.
fn hadoop(key: &str, value: &str, conf: &BTreeMap<String, String>) -> Option<(Key, String)> {
    let option = match client::hadoop_name(key) {
        "fs.s3a.access.key" | "fs.s3.access.key" => Key::AccessKeyId,
        "fs.s3a.secret.key" | "fs.s3.secret.key" => Key::SecretAccessKey,
        "fs.s3a.session.token" => Key::Token,
        "fs.s3a.endpoint.region" => Key::Region,
        "fs.s3a.endpoint" => return Some((Key::Endpoint, with_scheme(value, conf))),
        "fs.s3a.path.style.access" => {
            let virtual_hosted = !value.trim().eq_ignore_ascii_case("true");
            return Some((Key::VirtualHostedStyleRequest, virtual_hosted.to_string()));
        }
        _ => return None,
    };
    Some((option, value.to_owned()))
}

/// Hadoop's endpoint may come without a scheme; another option tells which.
fn with_scheme(endpoint: &str, conf: &BTreeMap<String, String>) -> String {
    if endpoint.contains("://") || endpoint.is_empty() {
        return endpoint.to_owned();
    }
    let plain = conf.iter().any(|(key, value)| {
        client::hadoop_name(key) == "fs.s3a.connection.ssl.enabled"
            && value.trim().eq_ignore_ascii_case("false")
    });
    format!("{}://{endpoint}", if plain { "http" } else { "https" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hadoop_names_stand_for_the_options_of_the_client() {
        let conf = BTreeMap::from([(
            "spark.hadoop.fs.s3a.connection.ssl.enabled".to_owned(),
            "false".to_owned(),
        )]);
        let check = |key, value, option, expected: &str| {
            assert_eq!(
                hadoop(key, value, &conf),
                Some((option, expected.to_owned())),
                "{key}"
            );
        };
        check("fs.s3a.access.key", "k", Key::AccessKeyId, "k");
        check(
            "spark.hadoop.fs.s3a.secret.key",
            "s",
            Key::SecretAccessKey,
            "s",
        );
        check(
            "fs.s3a.endpoint",
            "localhost:9000",
            Key::Endpoint,
            "http://localhost:9000",
        );
        check("fs.s3a.endpoint", "https://h", Key::Endpoint, "https://h");
        check(
            "fs.s3a.path.style.access",
            "true",
            Key::VirtualHostedStyleRequest,
            "false",
        );
        assert_eq!(with_scheme("h", &BTreeMap::new()), "https://h");
    }
}
