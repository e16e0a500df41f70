#!/bin/bash
# Starts Debian's SimpleSAMLphp twice on PHP's own web server: FOLDER SITE_PORT IDP_PORT. On http://127.0.0.1:SITE_PORT/ it is a
# site whose login is SAML, on http://localhost:IDP_PORT/ the identity provider of the user ada, whose password is in PASSWORD.
#   /          needs a login, and greets whoever has one
#   /me.json   who is logged in, or 401
#   /notes     takes a note of whoever is logged in (POST, 201), or 401
#   /logout    ends the session of the site, and only that one
#   /end-all   ends all sessions of the site, as its server would (204)
set -eu
folder=$(realpath "$1")
site="http://127.0.0.1:$2"
# No port is part of a cookie: two names of one machine are what keeps the cookies of the two apart.
idp="http://localhost:$3"

# What both have: a folder with a key, a configuration, and what PHP serves.
for side in site idp; do
    mkdir -p "$folder/$side"/{cert,config,metadata,sessions,log,data,temporary,pages}
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$side" \
        -keyout "$folder/$side/cert/key.pem" -out "$folder/$side/cert/own.pem" 2> "$folder/$side/log/openssl"
    ln -s /usr/share/simplesamlphp/www "$folder/$side/pages/saml"
    cat > "$folder/$side/config/config.php" <<END
<?php
\$config = [
    'baseurlpath' => '${!side}/saml/',
    'secretsalt' => '$(openssl rand -hex 16)',
    'auth.adminpassword' => '$(openssl rand -hex 16)',
    'certdir' => '$folder/$side/cert/',
    'metadatadir' => '$folder/$side/metadata/',
    'loggingdir' => '$folder/$side/log/',
    'datadir' => '$folder/$side/data/',
    'tempdir' => '$folder/$side/temporary/',
    'attributenamemapdir' => '/etc/simplesamlphp/attributemap/',
    'logging.handler' => 'file',
    'enable.saml20-idp' => '$side' === 'idp',
    'module.enable' => ['exampleauth' => '$side' === 'idp', 'core' => true, 'saml' => true],
    // Without TLS there is no Secure, hence no SameSite=None either. Chromium sends a cookie without SameSite along with the
    // form that comes from the provider for two minutes; later the site takes the answer for one that it did not ask for.
    'session.cookie.secure' => false,
    'session.phpsession.savepath' => '$folder/$side/sessions',
    'session.phpsession.cookiename' => 'SimpleSAML',
];
END
done
cp "$folder/idp/cert/own.pem" "$folder/site/cert/idp.pem"
cp "$folder/site/cert/own.pem" "$folder/idp/cert/site.pem"

# The identity provider: who there is, itself, and the site that may ask. It reads the password from its environment.
cat > "$folder/idp/config/authsources.php" <<'END'
<?php
$config = ['people' => ['exampleauth:UserPass', 'ada:' . getenv('PASSWORD') => ['uid' => ['ada']]]];
END
cat > "$folder/idp/metadata/saml20-idp-hosted.php" <<END
<?php
\$metadata['$idp/'] = ['host' => '__DEFAULT__', 'auth' => 'people', 'privatekey' => 'key.pem', 'certificate' => 'own.pem'];
END
cat > "$folder/idp/metadata/saml20-sp-remote.php" <<END
<?php
\$metadata['$site/'] = ['AssertionConsumerService' => '$site/saml/module.php/saml/sp/saml2-acs.php/site',
    'certificate' => 'site.pem', 'validate.authnrequest' => true, 'assertion.encryption' => true];
END

# The site: itself, its identity provider, and its pages.
cat > "$folder/site/config/authsources.php" <<END
<?php
\$config = ['site' => ['saml:SP', 'entityID' => '$site/', 'idp' => '$idp/', 'privatekey' => 'key.pem',
    'certificate' => 'own.pem', 'sign.authnrequest' => true, 'assertion.encryption' => true]];
END
cat > "$folder/site/metadata/saml20-idp-remote.php" <<END
<?php
\$metadata['$idp/'] = ['SingleSignOnService' => '$idp/saml/saml2/idp/SSOService.php', 'certificate' => 'idp.pem'];
END
cat > "$folder/site/pages.php" <<'END'
<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (str_starts_with($path, '/saml/')) return false;
if ($path == '/end-all') {
    array_map('unlink', glob(__DIR__ . '/sessions/sess_*'));
    http_response_code(204);
    return;
}
require '/usr/share/simplesamlphp/lib/_autoload.php';
$login = new SimpleSAML\Auth\Simple('site');
$here = 'http://' . $_SERVER['HTTP_HOST'];
if ($path == '/') $login->requireAuth(['ReturnTo' => "$here/"]);
if ($path == '/logout') $login->logout("$here/bye");
$user = $login->isAuthenticated() ? $login->getAttributes()['uid'][0] : null;
[$status, $kind, $body] = match (true) {
    $path == '/bye' => [200, 'text/html', '<title>Bye</title><p>You are logged out.'],
    $path == '/' => [200, 'text/html', "<title>Home</title><p>Hello $user"],
    !in_array($path, ['/me.json', '/notes']) => [404, 'text/plain', 'Not found'],
    $user === null => [401, 'application/json', '{"error":"not logged in"}'],
    $path == '/me.json' => [200, 'application/json', json_encode(['user' => $user])],
    $_SERVER['REQUEST_METHOD'] == 'POST' => [201, 'application/json', '{"saved":true}'],
    default => [405, 'text/plain', 'Only POST'],
};
http_response_code($status);
header("Content-Type: $kind");
echo $body;
END

trap 'kill 0' EXIT
export PHP_CLI_SERVER_WORKERS=2
SIMPLESAMLPHP_CONFIG_DIR="$folder/idp/config" php -S "127.0.0.1:$3" -t "$folder/idp/pages" > "$folder/idp/log/php" 2>&1 &
SIMPLESAMLPHP_CONFIG_DIR="$folder/site/config" \
    php -S "127.0.0.1:$2" -t "$folder/site/pages" "$folder/site/pages.php" > "$folder/site/log/php" 2>&1 &
wait
