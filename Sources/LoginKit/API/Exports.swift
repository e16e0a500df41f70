// One import is enough for a program: Profile, Question and Secret come with LoginKit.
@_exported public import Secrets
