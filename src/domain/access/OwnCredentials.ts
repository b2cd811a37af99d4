import { Schema } from "effect"
import { clearable, type Forms, type InForms, inForms } from "../kernel/Fields.ts"
import { Limits } from "../kernel/Limits.ts"

/** A key or secret, as a processor gives it: one word. */
const Key = Schema.String.check(
  Schema.isMaxLength(Limits.credentialCharacters),
  Schema.isPattern(/^[!-~]+$/, { description: "a key as the processor shows it, without spaces" })
)

const NoticeSecrets = Schema.Array(Key).check(Schema.isMaxLength(Limits.noticeSecrets))

const meanings = {
  secret_key: "The secret key of the account.",
  publishable_key: "The key that donors' pages need; it is no secret.",
  notice_secrets:
    "The signing secrets of the endpoints at which the processor sends its webhooks; several while one is rotated."
}

/** The credentials that an integration of its own account is made with. */
export const NewCredentials = Schema.Struct({
  secret_key: Key,
  publishable_key: Key,
  notice_secrets: clearable(NoticeSecrets)
}).annotate({ identifier: "NewCredentials", meanings })
export type NewCredentials = typeof NewCredentials.Type

const rotationFields = Schema.Struct({
  secret_key: clearable(Key),
  publishable_key: clearable(Key),
  notice_secrets: clearable(NoticeSecrets),
  overlap_hours: clearable(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.secretOverlapHours })))
}).annotate({
  identifier: "CredentialRotation",
  meanings: {
    ...meanings,
    overlap_hours: `How long webhooks are accepted that the former secrets signed, once there are new ones: ${Limits.secretOverlapDefaultHours} when not given, at most ${Limits.secretOverlapHours}.`
  }
})

const forms = [
  { secret_key: "given" },
  { publishable_key: "given" },
  { notice_secrets: "given" }
] as const satisfies Forms

/** The credentials that a rotation replaces; an absent one stays. */
export const CredentialRotation = inForms(rotationFields, forms)
export type CredentialRotation = InForms<typeof rotationFields.Type, typeof forms>

/** The credentials of an own account. They are sealed wherever they are kept. */
export const Credentials = Schema.Struct({
  secret_key: Schema.String,
  publishable_key: Schema.String,
  notice_secrets: Schema.Array(Schema.String)
})
export type Credentials = typeof Credentials.Type

/** The name of one of the credentials. */
export const CredentialField = Schema.Literals(["secret_key", "publishable_key", "notice_secrets"])
export type CredentialField = typeof CredentialField.Type

/** Credentials as the text that is sealed. */
export const CredentialsText = Schema.fromJsonString(Credentials)

/** Notice secrets as the text that is sealed. */
export const NoticeSecretsText = Schema.fromJsonString(Schema.Array(Schema.String))

/**
 * The credentials after a rotation; null where something is neither given nor known.
 * @example
 * const known = { secret_key: "sk_1", publishable_key: "pk_1", notice_secrets: [] }
 * OwnCredentials.rotateCredentials(known, { secret_key: "sk_2" })?.secret_key // => "sk_2"
 * OwnCredentials.rotateCredentials(null, { secret_key: "sk_2" }) // => null
 */
export const rotateCredentials = (
  before: Credentials | null,
  given: typeof rotationFields.Type
): Credentials | null => {
  const secret_key = given.secret_key ?? before?.secret_key
  const publishable_key = given.publishable_key ?? before?.publishable_key
  const notice_secrets = given.notice_secrets ?? before?.notice_secrets
  return secret_key === undefined || publishable_key === undefined || notice_secrets === undefined
    ? null
    : { secret_key, publishable_key, notice_secrets }
}

/**
 * Whether a rotation gives anything to replace.
 * @example OwnCredentials.replaces({ overlap_hours: 1 }) // => false
 */
export const replaces = ({ notice_secrets, publishable_key, secret_key }: typeof rotationFields.Type): boolean =>
  [notice_secrets, publishable_key, secret_key].some((given) => given !== undefined && given !== null)
