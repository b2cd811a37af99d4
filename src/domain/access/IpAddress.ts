// IP addresses and networks, parsed as web clients do: by WHATWG `URL`.

/** An address in its one canonical spelling. An IPv4-mapped one is the IPv4 address. */
export interface IpAddress {
  readonly text: string
  readonly bits: 32 | 128
  readonly value: bigint
}

/** A network: all addresses with the same leading bits. */
export interface IpNetwork {
  readonly bits: 32 | 128
  readonly shift: bigint
  readonly prefix: bigint
}

/**
 * An IPv4 address of four decimal parts.
 * @example IpAddress.ipv4("10.0.0.1") // => { text: "10.0.0.1", bits: 32, value: 167772161n }
 */
export const ipv4 = (text: string): IpAddress => ({
  text,
  bits: 32,
  value: text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n)
})

const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")

/**
 * An IPv6 address as WHATWG `URL` writes it, without brackets.
 * @example
 * IpAddress.ipv6("::1") // => { text: "::1", bits: 128, value: 1n }
 * IpAddress.ipv6("::ffff:a00:1").text // => "10.0.0.1"
 */
export const ipv6 = (text: string): IpAddress => {
  const [head, tail] = text.split("::").map((side) => (side === "" ? [] : side.split(":")))
  const left = head ?? []
  const right = tail ?? []
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right]
  const value = groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
  // A socket that connects to ::ffff:10.0.0.1 reaches 10.0.0.1.
  return value >> 32n === 0xffffn ? ipv4(dotted(value & 0xffff_ffffn)) : { text, bits: 128, value }
}

/**
 * The address of a host as WHATWG `URL` writes it; undefined for a name. `URL` writes each address in one spelling, so
 * that no other parser is needed.
 * @example
 * IpAddress.literalOf("[::1]")?.bits // => 128
 * IpAddress.literalOf("example.org") // => undefined
 */
export const literalOf = (host: string): IpAddress | undefined =>
  host.startsWith("[") ? ipv6(host.slice(1, -1)) : /^\d+\.\d+\.\d+\.\d+$/.test(host) ? ipv4(host) : undefined

/**
 * Parses a URL; undefined when the text is none.
 * @example
 * IpAddress.parseUrl("https://0x7f.1/")?.hostname // => "127.0.0.1"
 * IpAddress.parseUrl("example.org") // => undefined
 */
export const parseUrl = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined)

/** Characters of the longest address: IPv6 that ends in IPv4, all of it written out. */
const addressCharacters = 45

/**
 * Parses an address in any spelling that a web client takes; undefined when the text is none.
 * @example
 * IpAddress.parseAddress("127.1")?.text // => "127.0.0.1"
 * IpAddress.parseAddress("example.org") // => undefined
 */
export const parseAddress = (text: string): IpAddress | undefined => {
  if (text.length > addressCharacters || !/^[\da-f:.]+$/i.test(text)) return undefined
  const url = parseUrl(text.includes(":") ? `http://[${text}]` : `http://${text}`)
  return url === undefined ? undefined : literalOf(url.hostname)
}

/**
 * Parses a network, `address/prefix`; undefined when the text is none.
 * @example
 * IpAddress.parseNetwork("10.0.0.0/8")?.prefix // => 10n
 * IpAddress.parseNetwork("10.0.0.0/33") // => undefined
 */
export const parseNetwork = (cidr: string): IpNetwork | undefined => {
  const [text = "", length = "", ...rest] = cidr.split("/")
  const address = parseAddress(text)
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined
  if (Number(length) > address.bits) return undefined
  const shift = BigInt(address.bits - Number(length))
  return { bits: address.bits, shift, prefix: address.value >> shift }
}

/**
 * Parses a list of networks, and leaves out texts that are none.
 * @example IpAddress.parseNetworks(["10.0.0.0/8", "office"]).length // => 1
 */
export const parseNetworks = (cidrs: ReadonlyArray<string>): ReadonlyArray<IpNetwork> =>
  cidrs.map(parseNetwork).filter((network) => network !== undefined)

/**
 * Whether an address lies in a network.
 * @example
 * const network = IpAddress.parseNetwork("10.0.0.0/8")
 * network && IpAddress.contains(network, IpAddress.ipv4("10.9.8.7")) // => true
 */
export const contains = (network: IpNetwork, address: IpAddress): boolean =>
  network.bits === address.bits && address.value >> network.shift === network.prefix
