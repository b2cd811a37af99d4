import { Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { Limits } from "../../domain/kernel/Limits.ts"

/** The addresses of a host name in the text of a hosts file. */
export const addressesIn = (text: string, hostname: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  // Quick check: a long file seldom has the name that is asked for.
  if (!lower.includes(hostname)) return []
  return lower.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    return isIP(address) !== 0 && names.includes(hostname) ? [address] : []
  })
}

/** The addresses of a host name in a hosts file; none where there is no such file. */
const readHosts = (path: string, hostname: string): Promise<ReadonlyArray<string>> =>
  readFile(path, "utf8").then(
    (text) => addressesIn(text, hostname),
    () => []
  )

/** An address of a host, and the seconds for which it may be remembered. */
export interface Answer {
  readonly address: string
  readonly ttl: number
}

/**
 * All A and AAAA answers of a host name; rejects when it does not resolve. Answers without a time to live are not
 * remembered. The signal aborts when nobody waits any more.
 */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<string | Answer>>

/** The options of name resolution. */
export interface DnsOptions {
  /** The name servers, `address` or `address:port`; those of `/etc/resolv.conf` when absent. */
  readonly servers?: ReadonlyArray<string>
  /** The file of names that are resolved without asking a server; `/etc/hosts` when absent. */
  readonly hostsFile?: string
}

/** How long a server has for its first answer, milliseconds. The time limit of the look-up ends all retries. */
const tryMillis = 1_500

const tries = 3

/** How long the answers of one address family are awaited after those of the other, milliseconds. */
const otherFamilyMillis = 1_000

const isAnswered = <A>(each: PromiseSettledResult<A>): each is PromiseFulfilledResult<A> => each.status === "fulfilled"

/** Asks for both address families at once. Where one family is never answered, the addresses are those of the other. */
const ask = async (
  hostname: string,
  signal: AbortSignal,
  servers: ReadonlyArray<string> | undefined
): Promise<ReadonlyArray<Answer>> => {
  // Each look-up has a resolver of its own: it can be cancelled alone, asks from unpredictable ports, and follows
  // changes of /etc/resolv.conf.
  const resolver = new Resolver({ timeout: tryMillis, tries })
  if (servers !== undefined) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener("abort", cancel, { once: true })
  const families = [resolver.resolve4(hostname, { ttl: true }), resolver.resolve6(hostname, { ttl: true })]
  let grace: NodeJS.Timeout | undefined
  Promise.any(families).then(
    () => {
      grace = setTimeout(cancel, otherFamilyMillis)
    },
    () => undefined
  )
  const answered = (await Promise.allSettled(families)).filter(isAnswered)
  clearTimeout(grace)
  if (answered.length === 0) throw new Error(`${hostname} does not resolve`)
  return answered.flatMap(({ value }) => value)
}

/** Resolves names by the hosts file, then by the name servers, without the threads that the system's resolver uses. */
export const resolveDns =
  (options: DnsOptions = {}): Resolve =>
  async (hostname, signal) => {
    const known = await readHosts(options.hostsFile ?? "/etc/hosts", hostname)
    if (known.length > 0) return known.map((address) => ({ address, ttl: Limits.webhookNoNameSeconds }))
    signal.throwIfAborted()
    return ask(hostname, signal, options.servers)
  }
