import { Option } from "effect"

/** Where a PostgreSQL server listens. */
export interface ServerAddress {
  /** The URL as a parser of URLs reads it. */
  readonly url: string
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** The file of the Unix socket; undefined where the server is reached over the network. */
  readonly socket: string | undefined
  readonly database: string
}

const scheme = /^postgres(?:ql)?:\/\//

/** libpq reads a URL that names a user or a port and no host, which a parser of URLs does not. */
const withHost = (text: string): string => {
  const start = text.indexOf("//") + 2
  const length = text.slice(start).search(/[/?#]/)
  const authority = length === -1 ? text.slice(start) : text.slice(start, start + length)
  const host = start + authority.lastIndexOf("@") + 1
  return /[^:/?#]/.test(text.charAt(host)) ? text : `${text.slice(0, host)}localhost${text.slice(host)}`
}

const unescaped = (text: string): Option.Option<string> => Option.liftThrowable(decodeURIComponent)(text)

/**
 * Reads a URL as libpq does: the parameters `host` and `port` count before what stands in front of the path, and a host that
 * begins with `/`, percent-encoded or as a parameter, is the folder of a Unix socket. A URL without a host is one of this
 * machine, over TCP. None for what is no such URL.
 */
export const readAddress = (text: string): Option.Option<ServerAddress> => {
  const address = withHost(text)
  if (!scheme.test(text) || !URL.canParse(address)) return Option.none()
  const url = new URL(address)
  const port = Number(url.searchParams.get("port") || url.port || 5432)
  const named = url.searchParams.get("host") || undefined
  const inFront = unescaped(url.hostname.replace(/^\[(.*)\]$/, "$1"))
  return Option.all([named === undefined ? inFront : Option.some(named), unescaped(url.pathname.slice(1))]).pipe(
    Option.map(([host, path]) => ({
      url: address,
      host,
      port,
      socket: host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : undefined,
      database: url.searchParams.get("dbname") ?? path
    }))
  )
}
