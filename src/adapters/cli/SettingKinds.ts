import { type LogLevel, Option, Redacted } from "effect"

export interface Setting<A> {
  readonly name: string
  /** The default as the table shows it. */
  readonly standard: string
  readonly description: string
  /** Completes "… must be". */
  readonly expected: string
  /** None for a text that is not allowed. */
  readonly read: (text: string) => Option.Option<A>
}

export const pathOf = (expected: "a file" | "a folder") => ({
  expected,
  read: (text: string): Option.Option<string> => (text.includes("\0") ? Option.none() : Option.some(text))
})

export const mailServer = {
  expected: "smtp://user:password@host:port, or smtps:",
  read: (text: string): Option.Option<Redacted.Redacted<string>> =>
    /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text) ? Option.some(Redacted.make(text)) : Option.none()
}

export const sender = {
  expected: "an e-mail address, or Name <address>",
  read: (text: string): Option.Option<string> =>
    /^([^\s<>@]+@[^\s<>@]+|[^<>@\r\n]+<[^\s<>@]+@[^\s<>@]+>)$/.test(text) ? Option.some(text) : Option.none()
}

export const integer = (minimum: number, maximum: number) => ({
  expected: `a whole number from ${minimum} to ${maximum}`,
  read: (text: string): Option.Option<number> =>
    /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
      ? Option.some(Number(text))
      : Option.none()
})

export const oneOf = <const A extends string>(values: ReadonlyArray<A>) => ({
  expected: `one of ${values.join(", ")}`,
  read: (text: string): Option.Option<A> =>
    Option.fromNullishOr(values.find((value) => value.toLowerCase() === text.toLowerCase()))
})

export const listOf = (isItem: (item: string) => boolean) => (text: string) => {
  const items = text.split(",").map((item) => item.trim())
  return items.every(isItem) ? Option.some(items) : Option.none()
}

export const isWebUrl = (text: string): boolean =>
  /^https?:\/\/[^/]/.test(text) && !/[?#\s]/.test(text) && URL.canParse(text) && new URL(text).username === ""

/** A URL may name no host, or several with their ports, as libpq allows; URL parsers need one. */
export const isDatabaseUrl = (text: string): boolean =>
  URL.canParse(text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)[^/?#]*/, "$1localhost")) &&
  /^postgres(ql)?:\/\//.test(text)

/** A browser sends its origin in full, so that an origin with a wildcard would equal none. */
const isOrigin = (text: string): boolean => !text.includes("*") && URL.canParse(text) && new URL(text).origin === text

export const origins = listOf(isOrigin)

/** Sources of a policy: a host, or all below it, by https alone. */
export const httpsSources = listOf((text) => /^https:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/u.test(text))

const stripeKeyShape = /^(sk|rk|pk)_(live|test)_\w{1,250}$/u

export const stripeKey = (kinds: ReadonlyArray<string>, mode: "live" | "test") => ({
  expected: `a key of Stripe's ${mode} mode, ${kinds.map((kind) => `${kind}_${mode}_…`).join(" or ")}`,
  read: (text: string) => {
    const [, kind = "", ofMode] = stripeKeyShape.exec(text) ?? []
    return ofMode === mode && kinds.includes(kind) ? Option.some(text) : Option.none()
  }
})

export const secretKey = (mode: "live" | "test") => {
  const { expected, read } = stripeKey(["sk", "rk"], mode)
  return { expected, read: (text: string) => Option.map(read(text), (key) => Redacted.make(key)) }
}

export const noticeSecrets = {
  expected: "one or more secrets whsec_…, comma-separated",
  read: (text: string) =>
    Option.map(listOf((item) => /^whsec_\w{1,250}$/u.test(item))(text), (secrets) =>
      secrets.map((secret) => Redacted.make(secret))
    )
}

export const setting = <A>(
  name: string,
  standard: string,
  parts: Omit<Setting<A>, "name" | "standard">
): Setting<A> => ({ name, standard, ...parts })

export const logLevels = [
  "All",
  "Trace",
  "Debug",
  "Info",
  "Warn",
  "Error",
  "Fatal",
  "None"
] as const satisfies ReadonlyArray<LogLevel.LogLevel>
