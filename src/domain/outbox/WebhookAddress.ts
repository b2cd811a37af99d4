import { Result, Schema } from "effect"
import {
  contains,
  type IpAddress,
  type IpNetwork,
  ipv4,
  ipv6,
  literalOf,
  parseAddress,
  parseNetwork,
  parseNetworks,
  parseUrl
} from "../access/IpAddress.ts"

/** The rules for receivers' addresses of one organisation. service-spec, Delivery shape: Endpoint URLs. */
export interface AddressRules {
  /** True for live organisations: `http` is refused. */
  readonly require_https: boolean
  /**
   * Networks that an operator opened for this organisation, as `address/prefix`. Where they hold a loopback address,
   * the host `localhost` is accepted, too. A text that is no network opens nothing.
   */
  readonly allowed_cidrs: ReadonlyArray<string>
}

/** The fields of an organisation that decide where its webhooks may go. */
interface AddressHolder {
  readonly is_sandbox: boolean
  readonly webhook_allowed_cidrs: ReadonlyArray<string>
}

/**
 * The address rules of an organisation, the same when an endpoint is saved and at every delivery: `https` unless it is
 * a sandbox, and the networks that were opened to it, for a sandbox also those opened to all sandboxes.
 * @example
 * WebhookAddress.addressRulesOf({ is_sandbox: false, webhook_allowed_cidrs: [] }, ["127.0.0.0/8"])
 * // => { require_https: true, allowed_cidrs: [] }
 */
export const addressRulesOf = (organisation: AddressHolder, operatorCidrs: ReadonlyArray<string>): AddressRules => {
  const { is_sandbox, webhook_allowed_cidrs: own } = organisation
  const shared = is_sandbox ? operatorCidrs : []
  // A list alone is passed on as the same object, so that its networks are parsed once.
  const allowed_cidrs = shared.length === 0 ? own : own.length === 0 ? shared : [...own, ...shared]
  return { require_https: !is_sandbox, allowed_cidrs }
}

/** A receiver's URL, or one of its addresses, may not be called; `reason` is a sentence for the person who typed the URL. */
export class AddressRefused extends Schema.TaggedError<AddressRefused>()("AddressRefused", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The address cannot be called: ${this.reason}.`
  }
}

/** A URL that may be called, as far as that can be judged without resolving its host. */
export interface ParsedTarget {
  /** Scheme, host and port, as `Host` and the TLS server name show them to the receiver. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly secure: boolean
  /** The host without brackets and without the root's trailing dot. */
  readonly hostname: string
  readonly port: number
  /** The judged addresses of an IP literal or of `localhost`; null when the host is a name that must be resolved. */
  readonly addresses: ReadonlyArray<string> | null
}

/**
 * The networks in which no receiver is called, each with its kind: the IANA special-purpose registries, multicast, and
 * the one cloud metadata address outside of them. IPv6 is refused outside 2000::/3 as a whole; see {@link
 * judgeAddress}.
 */
export const refusedNetworks: ReadonlyArray<readonly [cidr: string, name: string]> = [
  ["0.0.0.0/8", "an address of this network"],
  ["10.0.0.0/8", "a private address"],
  ["100.64.0.0/10", "a shared carrier address"],
  ["127.0.0.0/8", "a loopback address"],
  ["169.254.0.0/16", "a link-local address"],
  ["172.16.0.0/12", "a private address"],
  ["192.0.0.0/24", "a protocol assignment"],
  ["192.0.2.0/24", "a documentation address"],
  ["192.88.99.0/24", "a relay address"],
  ["192.168.0.0/16", "a private address"],
  ["198.18.0.0/15", "a benchmarking address"],
  ["198.51.100.0/24", "a documentation address"],
  ["203.0.113.0/24", "a documentation address"],
  ["224.0.0.0/4", "a multicast address"],
  ["240.0.0.0/4", "a reserved address"],
  ["168.63.129.16/32", "a cloud metadata address"],
  ["::/128", "the unspecified address"],
  ["::1/128", "a loopback address"],
  ["64:ff9b::/96", "a translated address"],
  ["fc00::/7", "a private address"],
  ["fe80::/10", "a link-local address"],
  ["ff00::/8", "a multicast address"],
  ["2001::/23", "a protocol assignment"],
  ["2001:db8::/32", "a documentation address"],
  ["2002::/16", "a tunnelled address"],
  ["3fff::/20", "a documentation address"]
]

const refused = refusedNetworks.map(([cidr, name]) => ({ cidr, name, networks: parseNetworks([cidr]) }))
const globalUnicast = parseNetworks(["2000::/3"])

const allowedNetworks = new WeakMap<ReadonlyArray<string>, ReadonlyArray<IpNetwork>>()

const isAllowed = (address: IpAddress, rules: AddressRules): boolean => {
  const known = allowedNetworks.get(rules.allowed_cidrs)
  const networks = known ?? parseNetworks(rules.allowed_cidrs)
  if (known === undefined) allowedNetworks.set(rules.allowed_cidrs, networks)
  return networks.some((network) => contains(network, address))
}

const refuse = (reason: string): Result.Result<never, AddressRefused> => Result.fail(new AddressRefused({ reason }))

const judge = (address: IpAddress, rules: AddressRules): Result.Result<string, AddressRefused> => {
  if (isAllowed(address, rules)) return Result.succeed(address.text)
  for (const { cidr, name, networks } of refused) {
    if (networks.some((network) => contains(network, address))) {
      return refuse(`${address.text} is ${name} (${cidr}), which is not called`)
    }
  }
  return address.bits === 32 || globalUnicast.some((network) => contains(network, address))
    ? Result.succeed(address.text)
    : refuse(`${address.text} is not a public address`)
}

/**
 * Whether a text is a network that {@link AddressRules} can open, `address/prefix`.
 * @example
 * WebhookAddress.isCidr("10.0.0.0/8") // => true
 * WebhookAddress.isCidr("10.0.0.0") // => false
 */
export const isCidr = (text: string): boolean => parseNetwork(text) !== undefined

/**
 * The canonical spelling of an address; an IPv4-mapped one becomes the IPv4 address. Undefined when the text is none.
 * @example WebhookAddress.canonicalAddress("::ffff:127.0.0.1") // => "127.0.0.1"
 */
export const canonicalAddress = (address: string): string | undefined => parseAddress(address)?.text

/**
 * Judges one resolved address and returns it in its canonical spelling. Refuses the networks of {@link refusedNetworks}
 * and all IPv6 outside 2000::/3 with {@link AddressRefused}, unless the rules allow the address.
 * @example
 * const rules = { require_https: true, allowed_cidrs: [] }
 * WebhookAddress.judgeAddress("8.8.8.8", rules) // => Result.succeed("8.8.8.8")
 * Result.isFailure(WebhookAddress.judgeAddress("127.1", rules)) // => true
 */
export const judgeAddress = (address: string, rules: AddressRules): Result.Result<string, AddressRefused> => {
  const parsed = parseAddress(address)
  return parsed === undefined ? refuse(`${address} is not an IP address that can be called`) : judge(parsed, rules)
}

/**
 * Judges all addresses that a host resolved to: one refused address refuses the host with
 * {@link AddressRefused}, and so does an empty answer. The
 * reason is the same for both and names no address, since the name may be one that only the service can resolve.
 * @example
 * const rules = { require_https: true, allowed_cidrs: [] }
 * Result.isFailure(WebhookAddress.judgeAnswers("hooks.example.org", ["8.8.8.8", "10.0.0.1"], rules)) // => true
 */
export const judgeAnswers = (
  hostname: string,
  answers: ReadonlyArray<string>,
  rules: AddressRules
): Result.Result<ReadonlyArray<string>, AddressRefused> => {
  const judged = Result.all(answers.map((answer) => judgeAddress(answer, rules)))
  return answers.length > 0 && Result.isSuccess(judged)
    ? judged
    : refuse(
        `${hostname} does not lead to a public address that webhooks may go to; correct its DNS records or give another URL`
      )
}

const refusedSuffixes = [".localhost", ".internal", ".local"]

const judgeHost = (host: string, rules: AddressRules): Result.Result<ReadonlyArray<string> | null, AddressRefused> => {
  const literal = literalOf(host)
  if (literal !== undefined) return Result.map(judge(literal, rules), (address) => [address])
  if (host === "localhost") {
    const loopback = [ipv4("127.0.0.1"), ipv6("::1")].filter((address) => isAllowed(address, rules))
    return loopback.length === 0
      ? refuse("localhost is not called")
      : Result.succeed(loopback.map((address) => address.text))
  }
  const labels = host.split(".")
  if (labels.length < 2) return refuse(`${host} is not a full host name`)
  if (labels.includes("")) return refuse(`${host} has an empty label`)
  return refusedSuffixes.some((suffix) => host.endsWith(suffix))
    ? refuse(`${host} is a local name, which is not called`)
    : Result.succeed(null)
}

const judgeSyntax = (text: string, url: URL, rules: AddressRules): string | undefined => {
  if (/[^\u0021-\u007e\u00a0-\uffff]/.test(text)) return "the URL contains a space or a control character"
  if (url.protocol !== "https:" && url.protocol !== "http:") return "the URL's scheme is neither https nor http"
  if (rules.require_https && url.protocol !== "https:") return "live organisations are called by https only"
  if (url.username !== "" || url.password !== "") return "the URL contains a user name or a password"
  if (url.href.includes("#")) return "the URL contains a fragment"
  return url.port === "0" ? "port 0 cannot be called" : undefined
}

/**
 * Judges a URL as it is written, an address in place of a host included, with the same parser that a web client uses
 * (decimal, octal, hexadecimal, short and full-width spellings of an address are that address). A name has yet to be
 * resolved, and its addresses judged by {@link judgeAnswers}. Fails with {@link AddressRefused}.
 * @example
 * const rules = { require_https: true, allowed_cidrs: [] }
 * Result.getOrThrow(WebhookAddress.judgeUrl("https://hooks.example.org/a?b", rules)).port // => 443
 * Result.isFailure(WebhookAddress.judgeUrl("https://0x7f.1/", rules)) // => true
 */
export const judgeUrl = (url: string, rules: AddressRules): Result.Result<ParsedTarget, AddressRefused> => {
  const parsed = parseUrl(url)
  if (parsed === undefined) return refuse("the URL cannot be read")
  const broken = judgeSyntax(url, parsed, rules)
  if (broken !== undefined) return refuse(broken)
  const host = parsed.hostname.endsWith(".") ? parsed.hostname.slice(0, -1) : parsed.hostname
  const secure = parsed.protocol === "https:"
  return Result.map(judgeHost(host, rules), (addresses) => ({
    origin: `${parsed.protocol}//${host}${parsed.port === "" ? "" : `:${parsed.port}`}`,
    path: parsed.pathname + parsed.search,
    secure,
    hostname: host.startsWith("[") ? host.slice(1, -1) : host,
    port: parsed.port === "" ? (secure ? 443 : 80) : Number(parsed.port),
    addresses
  }))
}
