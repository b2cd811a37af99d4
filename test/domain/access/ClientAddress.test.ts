import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { clientAddresses, countedAs, noProxies } from "../../../src/domain/access/ClientAddress.ts"
import { forEvery } from "../../support/Property.ts"

/** An address that the test made, with what it is and one of its spellings. */
interface Made {
  /** In its one spelling. */
  readonly text: string
  /** As a proxy may write it. */
  readonly spelled: string
  readonly isProxy: boolean
}

const byte = fc.nat(255)
const group = fc.nat(0xffff)

const trusted = ["10.0.0.0/8", "192.0.2.7/32", "fd00::/8"]

/** Whether the first byte, or the whole address, is one of the networks above. */
const isProxyV4 = (parts: ReadonlyArray<number>): boolean => parts[0] === 10 || parts.join(".") === "192.0.2.7"

const v4 = fc
  .tuple(
    fc.oneof(fc.constantFrom(10, 192), byte),
    fc.oneof(fc.constant(0), byte),
    fc.constantFrom(2, 3),
    fc.constantFrom(6, 7)
  )
  .map((parts): Made => {
    const text = parts.join(".")
    return { text, spelled: text, isProxy: isProxyV4(parts) }
  })

const hex = (groups: ReadonlyArray<number>): string => groups.map((each) => each.toString(16)).join(":")

/** Groups without a zero, whose spelling is the one spelling. */
const v6 = fc
  .tuple(
    fc.constantFrom(0x2001, 0xfd00, 0xfdff, 0xfe80, 0x2a02),
    fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 7, maxLength: 7 })
  )
  .map(([first, rest]): Made => {
    const groups = [first, ...rest]
    return { text: hex(groups), spelled: hex(groups).toUpperCase(), isProxy: first >> 8 === 0xfd }
  })

/** Groups, and how many of them stand before a run of zeros that is left out. */
const compressed = fc
  .tuple(fc.boolean(), fc.array(fc.integer({ min: 1, max: 0xfffe }), { maxLength: 6 }), fc.nat(6))
  .map(([isLocal, rest, cut]): Made => {
    const groups = isLocal ? [0xfd00, ...rest.slice(0, 5)] : rest
    const head = groups.slice(0, isLocal ? Math.max(1, cut) : cut)
    const text = `${hex(head)}::${hex(groups.slice(head.length))}`
    return { text, spelled: text, isProxy: (head[0] ?? 0) >> 8 === 0xfd }
  })

const mapped = v4.map((made): Made => ({ ...made, spelled: `::ffff:${made.text}` }))

const anyAddress = fc.oneof(v4, v6, compressed, mapped)

const ported = fc
  .tuple(anyAddress, fc.option(fc.integer({ min: 1, max: 65_535 })), fc.boolean())
  .map(([made, port, brackets]): Made => {
    const host = made.spelled.includes(":") && (brackets || port !== null) ? `[${made.spelled}]` : made.spelled
    return { ...made, spelled: port === null ? host : `${host}:${port}` }
  })

const blank = fc.constantFrom("", " ", "  ", "\t")

/** Text that a client may have written before a proxy added its own: anything that a header may hold. */
const invented = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\t\x20-\x7e]/g, "?"))

const bad = fc.constantFrom(
  "",
  "unknown",
  "_hidden",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "010.0.0.1",
  "0x0a.0.0.1",
  "1.2.3.4:",
  "1.2.3.4:x",
  "1.2.3.4:123456",
  "[::1",
  "::1]",
  "[1.2.3.4]",
  "[::1]x",
  ":::",
  "1::2::3",
  "example.org",
  `${"0".repeat(4_000)}1.2.3.4`,
  "1.2.3.4 5.6.7.8"
)

/** Whom the list means: the last one that is no proxy, or the first. */
const expected = (chain: ReadonlyArray<Made>): string | undefined =>
  (chain.findLast(({ isProxy }) => !isProxy) ?? chain[0])?.text

const proxy = fc.constantFrom("10.255.0.1", "::ffff:10.0.0.9", "fd12::1", "192.0.2.7", "fd00::1%eth0")
const stranger = fc.constantFrom("192.0.2.8", "11.0.0.1", "2001:db8::1", "::ffff:203.0.113.9", "", "fe80::1%eth0")

const join = (elements: ReadonlyArray<string>, gap: string): string => elements.join(`${gap},${gap}`)

const list = clientAddresses({ header: "x-forwarded-for", trusted })
const forwarded = clientAddresses({ header: "forwarded", trusted })

/** A chain as `Forwarded` spells it, with more parameters and with quotes where they are needed. */
const forwardedElement = (made: Made, more: string): string => {
  const bare = made.spelled.includes(":") && !made.spelled.includes("[") && made.spelled.split(":").length > 2
  const node = bare ? `[${made.spelled}]` : made.spelled
  return `${more}for=${node.includes(":") ? `"${node}"` : node};proto=https`
}

const proxies = fc.array(
  ported.filter(({ isProxy }) => isProxy),
  { maxLength: 3 }
)

describe("a client's address", () => {
  it("is the one that the nearest proxy saw and that is no proxy itself", () =>
    forEvery(proxy, fc.array(ported, { minLength: 1, maxLength: 6 }), blank, (peer, chain, gap) => {
      const spelled = chain.map((each) => each.spelled)
      assert.strictEqual(list.of(peer, join(spelled, gap)), expected(chain))
      const elements = chain.map((each, index) => forwardedElement(each, index % 2 === 0 ? "" : "by=_x; "))
      assert.strictEqual(forwarded.of(peer, join(elements, gap)), expected(chain))
      assert.strictEqual(forwarded.of(peer, join(elements, gap).replaceAll("for=", "For=")), expected(chain))
    }))

  it("cannot be invented: what stands left of it changes nothing", () => {
    const client = ported.filter(({ isProxy }) => !isProxy)
    forEvery(proxy, invented, client, proxies, (peer, before, made, after) => {
      const chain = [made, ...after]
      const spelled = chain.map((each) => each.spelled)
      assert.strictEqual(list.of(peer, [before, ...spelled].join(", ")), made.text)
      const elements = chain.map((each) => forwardedElement(each, ""))
      assert.strictEqual(forwarded.of(peer, [`for="${before}`, ...elements].join(", ")), made.text)
    })
  })

  it("is the peer's where what must be read is no address", () => {
    forEvery(proxy, fc.array(ported, { maxLength: 2 }), bad, proxies, (peer, before, wrong, after) => {
      const spelled = [...before.map((each) => each.spelled), wrong, ...after.map((each) => each.spelled)]
      assert.strictEqual(list.of(peer, spelled.join(",")), peer)
      const elements = [
        ...before.map((each) => forwardedElement(each, "")),
        `for="${wrong}"`,
        ...after.map((each) => forwardedElement(each, ""))
      ]
      assert.strictEqual(forwarded.of(peer, elements.join(",")), peer)
    })
    for (const element of ["proto=https", "for=1.2.3.4;for=5.6.7.8", "for", "1.2.3.4", "xfor=1.2.3.4"]) {
      assert.strictEqual(forwarded.of("10.0.0.1", element), "10.0.0.1", element)
    }
  })

  it("is the peer's where a quote is opened and not closed, or closed and not opened", () => {
    const v4node = v4.map(({ text }) => text)
    const v6node = v6.map(({ text }) => `[${text}]`)
    forEvery(proxy, fc.oneof(v4node, v6node), fc.constantFrom("", "1", "x", " "), (peer, node, before) => {
      assert.strictEqual(forwarded.of(peer, `for="${before}${node}`), peer)
      assert.strictEqual(forwarded.of(peer, `for=${before}${node}"`), peer)
    })
  })

  it("is read from the header of any network that is trusted, be it the only one", () =>
    forEvery(v4, v4, fc.integer({ min: 8, max: 32 }), (peer, client, length) => {
      const alone = clientAddresses({ header: "x-forwarded-for", trusted: [`${peer.text}/${length}`] })
      assert.isTrue(alone.isTrusted(peer.text))
      assert.strictEqual(alone.of(peer.text, client.text), client.text)
    }))

  it("is the peer's where the peer is no proxy, or no header is read", () =>
    forEvery(stranger, proxy, fc.array(ported), (peer, trustedPeer, chain) => {
      const value = chain.map(({ spelled }) => spelled).join(", ")
      assert.strictEqual(list.of(peer, value), peer)
      assert.strictEqual(clientAddresses(noProxies).of(trustedPeer, value), trustedPeer)
      assert.strictEqual(clientAddresses({ header: null, trusted }).of(trustedPeer, value), trustedPeer)
      assert.strictEqual(list.of(trustedPeer, undefined), trustedPeer)
      assert.deepStrictEqual([list.isTrusted(peer), list.isTrusted(trustedPeer)], [false, true])
      assert.isFalse(clientAddresses(noProxies).isTrusted(trustedPeer))
    }))
})

describe("the name that a client is counted under", () => {
  const groups = fc.array(group, { minLength: 4, maxLength: 4 })

  it("is one for the addresses of a /64, and another for each /64", () =>
    forEvery(groups, groups, groups, (prefix, one, other) => {
      fc.pre(prefix.some((each) => each !== 0))
      const counted = countedAs(hex([...prefix, ...one]))
      assert.strictEqual(countedAs(hex([...prefix, ...other]).toUpperCase()), counted)
      assert.strictEqual(counted, `${hex(prefix)}::/64`)
      assert.strictEqual(countedAs(`${hex([...prefix, ...other])}%eth0`), counted)
    }))

  it("is the IPv4 address, mapped or not", () =>
    forEvery(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
      const text = `${a}.${b}.${c}.${d}`
      assert.strictEqual(countedAs(text), text)
      assert.strictEqual(countedAs(`::ffff:${text}`), text)
      assert.strictEqual(countedAs(`::FFFF:${hex([a * 256 + b, c * 256 + d])}`), text)
    }))

  it("is what a host calls it, where that is no address", () => {
    for (const name of ["", "unix", "user 7", "a:b:c:d:e:f:g"]) assert.strictEqual(countedAs(name), name)
  })
})
