import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import * as WebhookAddress from "../../../src/domain/outbox/WebhookAddress.ts"
import { forEvery } from "../../support/Property.ts"

const sandbox: WebhookAddress.AddressRules = { require_https: false, allowed_cidrs: [] }
const loopback: WebhookAddress.AddressRules = { require_https: false, allowed_cidrs: ["127.0.0.0/8", "::1/128"] }

const refusedIpv4 = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 4],
  [0xf0000000, 4],
  [0xa83f8110, 32]
] as const

const refusedIpv6 = [
  [0x2001_0000n << 96n, 23],
  [0x2001_0db8n << 96n, 32],
  [0x2002_0000n << 96n, 16],
  [0x3fff_0000n << 96n, 20],
  [0x0064_ff9bn << 96n, 96]
] as const

const insideIpv4 = fc
  .constantFrom(...refusedIpv4)
  .chain(([base, prefix]) => fc.integer({ min: base, max: base + 2 ** (32 - prefix) - 1 }))
const isRefusedIpv4 = (value: number) =>
  refusedIpv4.some(([base, prefix]) => value >= base && value < base + 2 ** (32 - prefix))
const publicIpv4 = fc.integer({ min: 0, max: 2 ** 32 - 1 }).filter((value) => !isRefusedIpv4(value))

const insideIpv6 = fc
  .constantFrom(...refusedIpv6)
  .chain(([base, prefix]) => fc.bigInt({ min: base, max: base + (1n << BigInt(128 - prefix)) - 1n }))
const publicIpv6 = fc.bigInt({ min: 0x2400n << 112n, max: (0x3000n << 112n) - 1n })
const notGlobalIpv6 = fc
  .bigInt({ min: 0n, max: (1n << 128n) - 1n })
  .filter((value) => value >> 125n !== 1n && value >> 32n !== 0xffffn)

const bytesOf = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255)
const dotted = (value: number) => bytesOf(value).join(".")
const fullWidth = (text: string) =>
  [...text].map((c) => (c === "." ? "\u3002" : String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0))).join("")
const octal = (value: number) => `0${value.toString(8)}`
const hex = (value: number) => `0x${value.toString(16)}`
const groupsOf = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))

const ipv4Spellings = (value: number): ReadonlyArray<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(value)
  return [
    dotted(value),
    `${dotted(value)}.`,
    String(value),
    octal(value),
    hex(value),
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map(hex).join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${value % 2 ** 24}`,
    fullWidth(dotted(value)),
    dotted(value).replaceAll(".", "%2e"),
    `[::ffff:${dotted(value)}]`,
    `[::FFFF:${hex(value >>> 16).slice(2)}:${hex(value & 0xffff).slice(2)}]`,
    `[0:0:0:0:0:ffff:${dotted(value)}]`
  ]
}

const ipv6Spellings = (value: bigint): ReadonlyArray<string> => {
  const groups = groupsOf(value)
  const padded = groups.map((group) => group.padStart(4, "0"))
  return [
    `[${groups.join(":")}]`,
    `[${padded.join(":").toUpperCase()}]`,
    `[${groups.slice(0, 6).join(":")}:${dotted(Number(value & 0xffff_ffffn))}]`
  ]
}

const urlsOf = (host: string) => [`http://${host}/hook`, `https://${host}:8443/hook?a=1`]

const refuses = (url: string, rules: WebhookAddress.AddressRules) =>
  assert.isTrue(Result.isFailure(WebhookAddress.judgeUrl(url, rules)), `accepted ${url}`)
const accepts = (url: string, rules: WebhookAddress.AddressRules) => {
  const judged = WebhookAddress.judgeUrl(url, rules)
  if (Result.isFailure(judged)) return assert.fail(`refused ${url}: ${judged.failure.reason}`)
  return judged.success
}

describe("judging a literal address", () => {
  it("refuses every IPv4 address of every refused network in every spelling", () =>
    forEvery(insideIpv4, (value) => {
      for (const host of ipv4Spellings(value)) for (const url of urlsOf(host)) refuses(url, sandbox)
      assert.isTrue(Result.isFailure(WebhookAddress.judgeAddress(dotted(value), sandbox)))
      assert.isTrue(Result.isFailure(WebhookAddress.judgeAddress(`::ffff:${dotted(value)}`, sandbox)))
    }))

  it("refuses the first and the last address of every refused IPv4 network", () => {
    for (const [base, prefix] of refusedIpv4) {
      for (const value of [base, base + 2 ** (32 - prefix) - 1]) {
        assert.isTrue(Result.isFailure(WebhookAddress.judgeAddress(dotted(value), sandbox)), dotted(value))
      }
    }
  })

  it("accepts public IPv4 addresses in every spelling, as the same address", () =>
    forEvery(publicIpv4, (value) => {
      for (const host of ipv4Spellings(value)) {
        for (const url of urlsOf(host)) assert.deepStrictEqual(accepts(url, sandbox).addresses, [dotted(value)])
      }
    }))

  it("refuses IPv6 outside 2000::/3 and in the refused networks inside it", () =>
    forEvery(fc.oneof(insideIpv6, notGlobalIpv6), (value) => {
      for (const host of ipv6Spellings(value)) for (const url of urlsOf(host)) refuses(url, sandbox)
      assert.isTrue(Result.isFailure(WebhookAddress.judgeAddress(groupsOf(value).join(":"), sandbox)))
    }))

  it.each(":: ::1 ::127.0.0.1 fc00::1 fe80::1 fe80::1%eth0 ff02::1 fec0::1 100::1 5f00::1".split(" "))(
    "refuses %s",
    (address) => {
      refuses(`http://[${address}]/`, sandbox)
      assert.isTrue(Result.isFailure(WebhookAddress.judgeAddress(address, sandbox)))
    }
  )

  it.each([
    ["::", "::/128"],
    ["::1", "::1/128"],
    ["64:ff9b::808:808", "64:ff9b::/96"],
    ["fd00::1", "fc00::/7"],
    ["fe80::1", "fe80::/10"],
    ["ff02::1", "ff00::/8"]
  ])("says of %s that it is refused for %s", (address, cidr) => {
    const judged = WebhookAddress.judgeAddress(address, sandbox)
    assert.include(Result.isFailure(judged) ? judged.failure.reason : "", `(${cidr})`)
  })

  it("accepts public IPv6 addresses in every spelling, as the same address", () =>
    forEvery(publicIpv6, (value) => {
      const [first, ...others] = ipv6Spellings(value).map((host) => accepts(`https://${host}/`, sandbox).addresses)
      for (const other of others) assert.deepStrictEqual(other, first)
    }))

  it("refuses what is no address", () => {
    for (const text of ["", "example.com", "1.2.3.4/8", "10.0.0.1@8.8.8.8", "8.8.8.8:80", ":::", "g::1"]) {
      assert.isTrue(Result.isFailure(WebhookAddress.judgeAddress(text, sandbox)), text)
      assert.isUndefined(WebhookAddress.canonicalAddress(text), text)
    }
  })
})

describe("networks that an operator allows", () => {
  it("to all sandboxes join those of each sandbox, and reach no live organisation", () => {
    const cidrs = fc.array(
      insideIpv4.map((value) => `${dotted(value)}/32`),
      { maxLength: 2 }
    )
    forEvery(cidrs, cidrs, fc.boolean(), (webhook_allowed_cidrs, shared, is_sandbox) => {
      const rules = WebhookAddress.addressRulesOf({ is_sandbox, webhook_allowed_cidrs }, shared)
      assert.strictEqual(rules.require_https, !is_sandbox)
      const opened = is_sandbox ? [...webhook_allowed_cidrs, ...shared] : webhook_allowed_cidrs
      assert.deepStrictEqual(rules.allowed_cidrs, opened)
    })
  })

  it("open themselves and nothing else", () =>
    forEvery(insideIpv4, fc.integer({ min: 8, max: 32 }), insideIpv4, (value, prefix, other) => {
      const rules = { require_https: false, allowed_cidrs: [`${dotted(value)}/${prefix}`] }
      const size = 2 ** (32 - prefix)
      const start = Math.floor(value / size) * size
      for (const host of ipv4Spellings(value)) accepts(`http://${host}/`, rules)
      const inside = other >= start && other < start + size
      assert.strictEqual(Result.isSuccess(WebhookAddress.judgeAddress(dotted(other), rules)), inside)
    }))

  it("open localhost when they hold a loopback address, and only then", () => {
    assert.deepStrictEqual(accepts("http://localhost:8080/x", loopback).addresses, ["127.0.0.1", "::1"])
    assert.deepStrictEqual(
      accepts("http://LOCALHOST./", { require_https: false, allowed_cidrs: ["127.0.0.1/32"] }).addresses,
      ["127.0.0.1"]
    )
    refuses("http://localhost/", sandbox)
    refuses("http://localhost/", { require_https: false, allowed_cidrs: ["10.0.0.0/8"] })
    refuses("http://a.localhost/", loopback)
  })

  it("open nothing when they are not networks", () => {
    for (const cidr of [
      "127.0.0.1",
      "127.0.0.0/33",
      "127.0.0.0/",
      "127.0.0.0/8/8",
      "localhost/8",
      "::/129",
      "/0",
      ""
    ]) {
      assert.isFalse(WebhookAddress.isCidr(cidr), cidr)
      refuses("http://127.0.0.1/", { require_https: false, allowed_cidrs: [cidr] })
    }
    assert.isTrue(
      WebhookAddress.isCidr("127.0.0.0/8") && WebhookAddress.isCidr("fd00::/8") && WebhookAddress.isCidr("10.1.2.3/32")
    )
  })
})

describe("judging a URL", () => {
  it.each([
    "",
    " https://receiver.example/",
    "https://receiver.example/\n",
    "https://rec\teiver.example/",
    ...`receiver.example ftp://receiver.example/ file:///etc/passwd javascript:alert(1)
      https://user@receiver.example/ https://user:secret@receiver.example/ https://:secret@receiver.example/
      https://receiver.example/#part https://receiver.example/# https://receiver.example:0/ https://receiver/
      https://receiver./ https://internal/ https://metadata.google.internal/ https://metadata.google.internal./
      https://printer.local/ https://PRINTER.LOCAL./ https://localhost/ https://localhost./ https://app.localhost/
      https://receiver..example/ https://receiver.example../`.split(/\s+/)
  ])("refuses %j", (url) => refuses(url, sandbox))

  it("leaves a name to be resolved, and keeps how the receiver is to be called", () => {
    assert.deepStrictEqual(accepts("https://Receiver.Example.:8443/a%20b?c=d", sandbox), {
      origin: "https://receiver.example:8443",
      path: "/a%20b?c=d",
      secure: true,
      hostname: "receiver.example",
      port: 8443,
      addresses: null
    })
    assert.strictEqual(accepts("http://receiver.example", sandbox).port, 80)
    assert.strictEqual(accepts("https://receiver.example", sandbox).port, 443)
    assert.strictEqual(accepts("https://receiver.example:443", sandbox).origin, "https://receiver.example")
  })

  it("keeps an IPv6 host in brackets for the receiver, and without them for the call", () =>
    forEvery(publicIpv6, (value) => {
      const host = `[${groupsOf(value).join(":")}]`
      const target = accepts(`https://${host}:8443/`, sandbox)
      assert.strictEqual(target.hostname, WebhookAddress.canonicalAddress(host.slice(1, -1)))
      assert.deepStrictEqual(target.addresses, [target.hostname])
      assert.strictEqual(target.origin, `https://[${target.hostname}]:8443`)
    }))

  it("accepts http only where https is not required", () => {
    const live = { require_https: true, allowed_cidrs: [] }
    accepts("http://receiver.example/", sandbox)
    refuses("http://receiver.example/", live)
    refuses("http://8.8.8.8/", live)
    accepts("https://receiver.example/", live)
  })
})

it("one refused answer refuses a name, and so does none", () =>
  forEvery(fc.array(publicIpv4, { maxLength: 5 }), insideIpv4, fc.nat(), (good, bad, position) => {
    const answers = good.map(dotted)
    const judged = WebhookAddress.judgeAnswers("receiver.example", answers, sandbox)
    assert.deepStrictEqual(Result.isSuccess(judged) ? judged.success : [], answers)
    assert.strictEqual(Result.isSuccess(judged), answers.length > 0)
    const poisoned = answers.toSpliced(position % (answers.length + 1), 0, dotted(bad))
    assert.isTrue(Result.isFailure(WebhookAddress.judgeAnswers("receiver.example", poisoned, sandbox)))
  }))

it("the refusal of a name tells neither what it resolved to nor whether it did", () =>
  forEvery(fc.array(publicIpv4, { maxLength: 5 }), insideIpv4, insideIpv6, (good, four, six) => {
    const reasonOf = (answers: ReadonlyArray<string>) => {
      const judged = WebhookAddress.judgeAnswers("receiver.example", answers, sandbox)
      return Result.isFailure(judged) ? judged.failure.reason : assert.fail("accepted")
    }
    const unresolved = reasonOf([])
    assert.include(unresolved, "receiver.example")
    for (const bad of [dotted(four), groupsOf(six).join(":"), "no address"]) {
      assert.strictEqual(reasonOf([...good.map(dotted), bad]), unresolved)
    }
  }))
