# What the settings of every Django of the tests have in common.
import django
from django.conf import settings
def configure(folder, apps=[], after_authentication=[], **more):
    usual = ["django.contrib." + app for app in ["admin", "auth", "contenttypes", "sessions", "messages"]]
    settings.configure(
        SECRET_KEY="of a test", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF="__main__", USE_TZ=True,
        STATIC_URL="/static/", DEFAULT_AUTO_FIELD="django.db.models.AutoField", INSTALLED_APPS=usual + apps,
        MIDDLEWARE=[
            "django.middleware.security.SecurityMiddleware",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware", *after_authentication,
            "django.contrib.messages.middleware.MessageMiddleware"],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages"]}}],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder + "/db.sqlite3"}},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"], **more)
    django.setup()
