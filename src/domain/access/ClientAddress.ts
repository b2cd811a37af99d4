import { contains, type IpAddress, parseAddress, parseNetworks } from "./IpAddress.ts"

/** The peers that are proxies, and the header in which they name the clients that they forward. */
export interface Proxies {
  /**
   * The only header that is read, in lower case; null to read none. `forwarded` is parsed as RFC 7239 says, every other
   * one as a list of addresses.
   */
  readonly header: string | null
  /** Networks of trusted peers, as `address/prefix`. */
  readonly trusted: ReadonlyArray<string>
}

/** No proxy: the peer is the client. */
export const noProxies: Proxies = { header: null, trusted: [] }

/** Finds the address of a client. */
export interface ClientAddresses {
  /** Whether a peer is one of the proxies. */
  readonly isTrusted: (peer: string) => boolean
  /** The client's address, from the peer's address and the value of the peer's header. */
  readonly of: (peer: string, header: string | undefined) => string
}

/** A link-local address may name its interface after a %, `fe80::1%eth0`, which is no part of the address. */
const withoutZone = (peer: string): string => peer.replace(/%.*/su, "")

const parsePeer = (peer: string): IpAddress | undefined => parseAddress(withoutZone(peer))

const isPort = (text: string): boolean => /^:\d{1,5}$/.test(text)

/** IPv4 in four decimal parts, with or without a port. */
const readIpv4 = (text: string): IpAddress | undefined => {
  const colon = text.indexOf(":")
  const host = colon === -1 ? text : text.slice(0, colon)
  const address = parseAddress(host)
  return address?.text === host && (colon === -1 || isPort(text.slice(colon))) ? address : undefined
}

/** IPv6 in brackets, with or without a port. */
const readBracketed = (text: string): IpAddress | undefined => {
  const [, host = ""] = /^\[([\da-f:.]*)\](?::\d{1,5})?$/i.exec(text) ?? []
  return host.includes(":") ? parseAddress(host) : undefined
}

/** An address with or without a port; IPv6 with a port has brackets. */
const readNode = (text: string): IpAddress | undefined => {
  if (text.startsWith("[")) return readBracketed(text)
  return text.indexOf(":") === text.lastIndexOf(":") ? readIpv4(text) : parseAddress(text)
}

const unquoted = (text: string): string => (text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text)

/** The one `for` of an element of `Forwarded`; undefined where it has none or several. RFC 7239, section 4. */
const forwardedFor = (element: string): string | undefined => {
  const [pair, ...more] = element
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.slice(0, 4).toLowerCase() === "for=")
  return pair === undefined || more.length > 0 ? undefined : unquoted(pair.slice(4))
}

const readList = (element: string): IpAddress | undefined => readNode(element.trim())

const readForwarded = (element: string): IpAddress | undefined => {
  const node = forwardedFor(element)
  return node === undefined ? undefined : readList(node)
}

/**
 * Tells clients from proxies. A header is read only from a trusted peer, and from the right: every proxy appends the
 * address that it forwards, and whatever stands before that may be the client's own invention. The client's address is
 * the first from the right that is no proxy's; where all are proxies', it is the leftmost. Where an element that must
 * be read is no address, the peer counts as the client. No address holds a comma, quoted or not, so that nothing that a
 * client wrote can hide what a proxy appended.
 * @example
 * const { of } = ClientAddress.clientAddresses({ header: "x-forwarded-for", trusted: ["10.0.0.0/8"] })
 * of("10.0.0.1", "203.0.113.9, 198.51.100.7") // => "198.51.100.7"
 * of("192.0.2.1", "198.51.100.7") // => "192.0.2.1"
 */
export const clientAddresses = ({ header, trusted }: Proxies): ClientAddresses => {
  const networks = parseNetworks(trusted)
  const isProxy = (address: IpAddress): boolean => networks.some((network) => contains(network, address))
  const read = header === "forwarded" ? readForwarded : readList

  const isTrusted = (peer: string): boolean => {
    if (networks.length === 0) return false
    const address = parsePeer(peer)
    return address !== undefined && isProxy(address)
  }

  const named = (value: string): IpAddress | undefined => {
    let rest = value
    for (;;) {
      const comma = rest.lastIndexOf(",")
      const address = read(rest.slice(comma + 1))
      if (address === undefined || comma === -1 || !isProxy(address)) return address
      rest = rest.slice(0, comma)
    }
  }

  return {
    isTrusted,
    of: (peer, value) =>
      header === null || value === undefined || !isTrusted(peer) ? peer : (named(value)?.text ?? peer)
  }
}

/**
 * The name that a client is counted under: its IPv4 address, or the /64 of its IPv6 address, since a network of that
 * size is given to one customer. An IPv4-mapped address counts as the IPv4 address. A text that is no address counts as
 * it is.
 * @example
 * ClientAddress.countedAs("2001:db8:0:1:2:3:4:5") // => "2001:db8:0:1::/64"
 * ClientAddress.countedAs("::ffff:192.0.2.1") // => "192.0.2.1"
 */
export const countedAs = (client: string): string => {
  const address = parsePeer(client)
  if (address === undefined) return client
  if (address.bits === 32) return address.text
  const prefix = address.value >> 64n
  return `${[48n, 32n, 16n, 0n].map((shift) => ((prefix >> shift) & 0xffffn).toString(16)).join(":")}::/64`
}
