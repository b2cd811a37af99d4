import { contains, type IpAddress, parseAddress, parseNetworks } from "./IpAddress.ts"

/** Which peers are proxies, and where they say whom they forward. */
export interface Proxies {
  /**
   * The one header that is read, in lower case; null when none is. `forwarded` is read as RFC 7239 has it, every other one
   * as a list of addresses.
   */
  readonly header: string | null
  /** Networks of peers that are believed, as `address/prefix`. */
  readonly trusted: ReadonlyArray<string>
}

/** No proxy: the peer is the client. */
export const noProxies: Proxies = { header: null, trusted: [] }

/** How the address of a client is told. */
export interface ClientAddresses {
  /** Whether a peer is one of the proxies. */
  readonly isTrusted: (peer: string) => boolean
  /** The client's address, from the peer's and what the peer's header says. */
  readonly of: (peer: string, header: string | undefined) => string
}

/** Characters of the longest element that can name an address: IPv6 in brackets and quotes, with a port. */
const elementCharacters = 64

/** An address of the link has its interface behind it, `fe80::1%eth0`, which names no other host. */
const withoutZone = (peer: string): string => peer.split("%", 1)[0] ?? ""

const parsePeer = (peer: string): IpAddress | undefined => parseAddress(withoutZone(peer))

const isPort = (text: string): boolean => /^:\d{1,5}$/.test(text)

/** IPv4 in four decimal parts, with or without a port. */
const readIpv4 = (text: string): IpAddress | undefined => {
  const colon = text.indexOf(":")
  const host = colon === -1 ? text : text.slice(0, colon)
  const address = parseAddress(host)
  return address?.text === host && (colon === -1 || isPort(text.slice(colon))) ? address : undefined
}

/** An address with or without a port; IPv6 with a port has brackets. */
const readNode = (text: string): IpAddress | undefined => {
  if (!text.startsWith("[")) return text.split(":").length > 2 ? parseAddress(text) : readIpv4(text)
  const end = text.indexOf("]")
  const host = text.slice(1, end)
  const port = text.slice(end + 1)
  return end !== -1 && host.includes(":") && (port === "" || isPort(port)) ? parseAddress(host) : undefined
}

const unquoted = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text

/** The `for` of an element of `Forwarded`, which has one. RFC 7239, section 4. */
const forwardedFor = (element: string): string | undefined => {
  const [pair, ...more] = element
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.slice(0, 4).toLowerCase() === "for=")
  return pair === undefined || more.length > 0 ? undefined : unquoted(pair.slice(4))
}

const readList = (element: string): IpAddress | undefined => {
  const text = element.trim()
  return text.length > elementCharacters ? undefined : readNode(text)
}

const readForwarded = (element: string): IpAddress | undefined => {
  const node = forwardedFor(element)
  return node === undefined ? undefined : readList(node)
}

/**
 * Tells clients from proxies. A header is read only from a peer that is trusted, from the right: every proxy adds at the end
 * whom it forwards, and what stands before may be the client's own invention. The first address that is no proxy's is the
 * client's; where all are proxies', the first one of the list is. Where what must be read is no address, the client is the
 * peer. No address holds a comma, quoted or not, so that nothing that a client wrote can hide what a proxy added.
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
    let end = value.length
    for (;;) {
      const comma = value.lastIndexOf(",", end - 1)
      const address = read(value.slice(comma + 1, end))
      if (address === undefined || comma === -1 || !isProxy(address)) return address
      end = comma
      // What a comma at the very beginning leaves is no address.
      if (end === 0) return undefined
    }
  }

  return {
    isTrusted,
    of: (peer, value) =>
      header === null || value === undefined || !isTrusted(peer) ? peer : (named(value)?.text ?? peer)
  }
}

/**
 * What a client counts as: its IPv4 address, or the /64 of its IPv6 address, since a network of that size is given to one
 * customer. An IPv4-mapped address is the IPv4 address. What is no address counts as it is.
 */
export const countedAs = (client: string): string => {
  const address = parsePeer(client)
  if (address === undefined) return client
  if (address.bits === 32) return address.text
  const prefix = address.value >> 64n
  return `${[48n, 32n, 16n, 0n].map((shift) => ((prefix >> shift) & 0xffffn).toString(16)).join(":")}::/64`
}
