import type { ConnectionOptions } from "node:tls"
import { Data, Predicate, Redacted, Result } from "effect"
import { parse } from "pg-connection-string"
import { Limits } from "../../../domain/kernel/Limits.ts"

/** One of the places where the server may listen. */
export interface ServerPlace {
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** The file of the Unix socket; undefined where the server is reached over the network. */
  readonly socket: string | undefined
}

/** Where a PostgreSQL server is, and how it is spoken to. */
export interface ServerAddress {
  /** They are tried in turn. */
  readonly places: ReadonlyArray<ServerPlace>
  readonly database: string
  readonly user: string | undefined
  readonly password: Redacted.Redacted | undefined
  /** Without TLS, or with these options of it: one after the other, where the server does not take the first. */
  readonly encryption: ReadonlyArray<false | ConnectionOptions>
  /** Whether a server that takes no writes is passed over. */
  readonly mustWrite: boolean
  readonly options: string | undefined
  readonly applicationName: string | undefined
  /** How long it may take to connect, seconds. */
  readonly connectSeconds: number | undefined
}

/** An address cannot be used: why, and what to do. Neither has a value of the address. */
export class AddressFault extends Data.Error<{ readonly reason: string; readonly remedy: string }> {}

/** For {@link readAddress} alone, which turns it into a failure. */
const refuse: (reason: string, remedy: string) => never = (reason, remedy) => {
  throw new AddressFault({ reason, remedy })
}

const noAddress = new AddressFault({
  reason: "its address is not a PostgreSQL URL",
  remedy: "Write postgres://user:password@host:port/database, special characters percent-encoded."
})

/** The parameters that are understood, each with the values that it may have; undefined for any. */
const parameters: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
  host: undefined,
  port: undefined,
  user: undefined,
  password: undefined,
  dbname: undefined,
  application_name: undefined,
  options: undefined,
  connect_timeout: undefined,
  sslmode: ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
  // JDBC's, which libpq reads as sslmode=require.
  ssl: ["true"],
  sslrootcert: undefined,
  sslcert: undefined,
  sslkey: undefined,
  // Almoner writes: the other values of libpq would find a server that it cannot use.
  target_session_attrs: ["any", "primary", "read-write"],
  // The driver has no more than these of them.
  channel_binding: ["disable", "prefer"],
  gssencmode: ["disable", "prefer"],
  sslnegotiation: ["postgres"],
  client_encoding: ["UTF8", "auto"]
}

const checkParameter = (name: string, value: string): void => {
  if (!Object.hasOwn(parameters, name)) {
    refuse(
      `its parameter ${name.slice(0, 40)} is not understood`,
      `Remove it; those that are understood: ${Object.keys(parameters).join(", ")}.`
    )
  }
  const values = parameters[name]
  if (values === undefined || values.includes(value)) return
  refuse(`its parameter ${name} has another value than it may`, `Write ${values.join(", or ")}.`)
}

const whole = (text: string, name: string, maximum: number): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= maximum) return Number(text)
  refuse(`its ${name} is none`, `Write a whole number from 1 to ${maximum}.`)
}

/** libpq reads a URL without a host, and one with several, which a parser of URLs does not: they are taken out of it. */
const partsOf = (text: string) => {
  const start = text.indexOf("//") + 2
  const length = text.slice(start).search(/[/?#]/)
  const end = length === -1 ? text.length : start + length
  const hosts = start + text.slice(start, end).lastIndexOf("@") + 1
  return {
    hosts: text.slice(hosts, end).split(","),
    url: new URL(`${text.slice(0, hosts)}localhost${text.slice(end)}`)
  }
}

/** The port in front of the path counts for its host; of the parameter, one counts for all. */
const placesOf = (hosts: ReadonlyArray<string>, asked: URLSearchParams): ServerAddress["places"] => {
  const named = asked.get("host") || undefined
  const ports = (asked.get("port") || undefined)?.split(",")
  const inFront = hosts.map((text) => {
    const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? []
    return { host: decodeURIComponent(host.replace(/^\[(.*)\]$/, "$1")) || "localhost", port }
  })
  return (named?.split(",") ?? inFront.map(({ host }) => host)).map((host, index) => {
    const given = ports?.[ports.length === 1 ? 0 : index] || inFront[index]?.port || "5432"
    if (!/^[^\s?#@<>\\^|[\]]+$/.test(host)) throw noAddress
    const port = whole(given, "port", 65_535)
    return { host, port, socket: host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : undefined }
  })
}

/** `sslrootcert=system` is the authorities that Node knows; with them, a certificate is verified in full. */
const modeOf = (asked: URLSearchParams): string => {
  const isSystem = asked.get("sslrootcert") === "system"
  const mode = asked.get("sslmode") ?? (asked.has("ssl") ? "require" : isSystem ? "verify-full" : "prefer")
  if (isSystem && mode !== "verify-full") {
    refuse("sslrootcert=system is for sslmode=verify-full only", "Write sslmode=verify-full.")
  }
  if (mode === "verify-ca" && !asked.has("sslrootcert")) {
    refuse("sslmode=verify-ca has no sslrootcert", "Name the file of the authorities, or write sslmode=verify-full.")
  }
  return mode
}

/** Each mode is libpq's, but for files of certificates in a home folder, which are not looked for. */
const encryptionOf = (mode: string, tls: ConnectionOptions): ServerAddress["encryption"] => {
  const unverified = { ...tls, rejectUnauthorized: false }
  if (mode === "allow") return [false, unverified]
  return mode === "disable" ? [false] : mode === "prefer" ? [unverified, false] : [tls]
}

const read = (text: string): ServerAddress => {
  if (!/^postgres(?:ql)?:\/\//.test(text)) throw noAddress
  // What is not percent-encoded as it should be is refused, where the parser would guess.
  decodeURIComponent(text)
  const { hosts, url } = partsOf(text)
  const asked = new URLSearchParams(url.search)
  for (const [name, value] of asked) checkParameter(name, value)
  const mode = modeOf(asked)
  const seconds = asked.get("connect_timeout")
  // What is read above is not what the parser has to read.
  for (const name of ["host", "port", "ssl"]) url.searchParams.delete(name)
  if (asked.get("sslrootcert") === "system") url.searchParams.delete("sslrootcert")
  url.searchParams.set("sslmode", mode === "allow" ? "prefer" : mode)
  const { password, ssl, user } = parse(url.href, { useLibpqCompat: true })
  return {
    places: placesOf(hosts, asked),
    database: asked.get("dbname") ?? decodeURIComponent(url.pathname.slice(1)),
    user: user || undefined,
    password: password === undefined || password === "" ? undefined : Redacted.make(password),
    encryption: encryptionOf(mode, Predicate.isObject(ssl) ? ssl : {}),
    mustWrite: !["any", null].includes(asked.get("target_session_attrs")),
    options: asked.get("options") ?? undefined,
    applicationName: asked.get("application_name") ?? undefined,
    connectSeconds: seconds === null ? undefined : whole(seconds, "connect_timeout", Limits.connectSeconds)
  }
}

/** A file of a certificate that the parser could not read, or an address that is none. */
const faultOf = (cause: unknown): AddressFault => {
  if (cause instanceof AddressFault) return cause
  const code = Predicate.hasProperty(cause, "syscall") && Predicate.hasProperty(cause, "code") ? cause.code : undefined
  if (code === undefined) return noAddress
  return new AddressFault({
    reason: `a file that sslrootcert, sslcert or sslkey names cannot be read (${code})`,
    remedy: "Name files in PEM that this user may read."
  })
}

/**
 * Reads a URL as libpq does: the parameters `host` and `port` count before what stands in front of the path, a host that
 * begins with `/` is the folder of a Unix socket, and several are tried in turn. A URL without a host is one of this
 * machine, over TCP. Fails for what is no such URL, and for a parameter that is not understood.
 */
export const readAddress = (text: string): Result.Result<ServerAddress, AddressFault> =>
  Result.try({ try: () => read(text), catch: faultOf })

const placeText = ({ host, port, socket }: ServerPlace, portText = `:${port}`): string =>
  socket ?? `${host.includes(":") ? `[${host}]` : host}${portText}`

/** Where the database is, without who asks. */
export const serverText = ({ database, places }: ServerAddress): string => {
  const where = places.map((place) => placeText(place, place.port === 5432 ? "" : undefined))
  return `${database} at ${where.join(" or ")}`.trim()
}

/** The host and the name of the database that a URL names: nothing of who asks. */
export const serverPlace = (url: Redacted.Redacted<string>): { readonly host: string; readonly name: string } =>
  Result.match(readAddress(Redacted.value(url)), {
    onFailure: () => ({ host: "", name: "" }),
    onSuccess: ({ database, places }) => ({ host: places.map((place) => placeText(place)).join(","), name: database })
  })
