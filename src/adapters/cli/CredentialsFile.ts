import { Effect } from "effect"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"

/** The flag that names a file with credentials. */
export const credentialsFile = "credentials-file"

/** The content of a file with credentials. */
export interface GivenCredentials {
  readonly secret_key?: string
  readonly publishable_key?: string
  readonly notice_secrets?: ReadonlyArray<string>
}

const quotes = ['"', "'"]

const unquoted = (text: string): string =>
  text.length > 1 && quotes.some((quote) => text.startsWith(quote) && text.endsWith(quote)) ? text.slice(1, -1) : text

/** The name and the value of a line; the name is empty where it has none. */
const assignmentIn = (line: string) => {
  const at = line.indexOf("=")
  const left = line.slice(0, Math.max(0, at)).trim()
  const name = left.startsWith("export ") ? left.slice("export ".length).trim() : left
  return { name, value: unquoted(line.slice(at + 1).trim()) }
}

const listOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const read: { readonly [name: string]: (text: string) => GivenCredentials } = {
  STRIPE_SECRET_KEY: (secret_key) => ({ secret_key }),
  STRIPE_PUBLISHABLE_KEY: (publishable_key) => ({ publishable_key }),
  STRIPE_NOTICE_SECRETS: (text) => ({ notice_secrets: listOf(text) })
}

const names = Object.keys(read).join(", ")

/** Repeats nothing of the file: a line may be a secret in the wrong place. */
const invalid = (message: string) => new InvalidInput({ param: "credentials", message })

/**
 * Reads credentials from lines of names and values, which are named as in the server's environment. Empty lines and those
 * that begin with # are passed over. Fails with {@link InvalidInput}, which repeats nothing of them.
 */
export const parseCredentials = Effect.fnUntraced(function* (text: string) {
  let given: GivenCredentials = {}
  for (const [index, whole] of text.split(/\r?\n/u).entries()) {
    const line = whole.trim()
    if (line === "" || line.startsWith("#")) continue
    const { name, value } = assignmentIn(line)
    const reading = Object.hasOwn(read, name) ? read[name] : undefined
    if (reading === undefined) {
      return yield* invalid(`Line ${index + 1} of --${credentialsFile} must be one of ${names}, with = and its value.`)
    }
    given = { ...given, ...reading(value) }
  }
  return given
})

/** The credentials of a new account, which needs both of its keys. */
export const parseNewCredentials = Effect.fnUntraced(function* (text: string) {
  const { publishable_key, secret_key, ...rest } = yield* parseCredentials(text)
  return secret_key === undefined || publishable_key === undefined
    ? yield* invalid(`--${credentialsFile} must have the lines STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY.`)
    : { ...rest, publishable_key, secret_key }
})
