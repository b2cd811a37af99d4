import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import fc from "fast-check"
import { addressesIn, resolveDns } from "../../src/adapters/webhooks/Resolver.ts"
import { dnsServer } from "../support/DnsServer.ts"
import { folder } from "../support/Folder.ts"
import { forEvery } from "../support/Property.ts"
import { live } from "../support/Steps.ts"
import { until } from "./Receivers.ts"

const noFile = "/nowhere/hosts"

const world = Effect.gen(function* () {
  const server = yield* dnsServer
  const resolve = resolveDns({ servers: [server.address], hostsFile: noFile })
  const lookUp = (hostname: string) => Effect.tryPromise((signal) => resolve(hostname, signal))
  const addresses = (hostname: string) =>
    Effect.map(lookUp(hostname), (answers) => answers.map((each) => (typeof each === "string" ? each : each.address)))
  return { server, lookUp, addresses }
})

describe("the resolver", () => {
  live("answers all A and AAAA records with their time to live, IPv4 first", function* () {
    const { lookUp, server } = yield* world
    server.say("both.example", { addresses: ["2606:4700::1111", "8.8.8.8", "8.8.4.4"], ttl: 17 })
    assert.deepStrictEqual(yield* lookUp("both.example"), [
      { address: "8.8.8.8", ttl: 17 },
      { address: "8.8.4.4", ttl: 17 },
      { address: "2606:4700::1111", ttl: 17 }
    ])
  })

  live("answers with one family where the other has no records, and fails where neither has", function* () {
    const { addresses, server } = yield* world
    server.say("four.example", { addresses: ["8.8.8.8"] })
    server.say("six.example", { addresses: ["2606:4700::1111"] })
    server.say("empty.example", { addresses: [] })
    server.say("failing.example", "failing")
    assert.deepStrictEqual(yield* addresses("four.example"), ["8.8.8.8"])
    assert.deepStrictEqual(yield* addresses("six.example"), ["2606:4700::1111"])
    for (const name of ["empty.example", "failing.example", "unknown.example"]) {
      yield* Effect.flip(addresses(name))
    }
  })

  live("does not wait for ever for a family whose answer never comes", function* () {
    const { addresses, server } = yield* world
    server.say("half.example", { addresses: ["8.8.8.8", "2606:4700::1111"], silentFamily: 6 })
    server.say("other-half.example", { addresses: ["8.8.8.8", "2606:4700::1111"], silentFamily: 4 })
    const half = yield* Effect.timeoutOption(addresses("half.example"), "10 seconds")
    const otherHalf = yield* Effect.timeoutOption(addresses("other-half.example"), "10 seconds")
    assert.deepInclude(half, { value: ["8.8.8.8"] })
    assert.deepInclude(otherHalf, { value: ["2606:4700::1111"] })
  })

  live("takes the whole of a long answer by TCP", function* () {
    const { addresses, server } = yield* world
    const many = Array.from({ length: 200 }, (_, index) => `8.8.${index >> 4}.${index & 15}`)
    server.say("long.example", { addresses: many, truncated: true })
    assert.sameMembers([...(yield* addresses("long.example"))], many)
    assert.include(server.questions, "A long.example tcp")
  })

  live("asks for the name as it is, once for each family, and remembers nothing", function* () {
    const { addresses, server } = yield* world
    server.say("two.labels", { addresses: ["8.8.8.8"] })
    yield* addresses("two.labels")
    server.say("two.labels", { addresses: ["8.8.4.4"] })
    assert.deepStrictEqual(yield* addresses("two.labels"), ["8.8.4.4"])
    const questions = ["A two.labels udp", "AAAA two.labels udp"]
    assert.sameMembers([...server.questions], [...questions, ...questions])
  })

  live("ends a look-up when nobody waits for it, whatever the server does", function* () {
    const server = yield* dnsServer
    const resolve = resolveDns({ servers: [server.address], hostsFile: noFile })
    server.say("hangs.example", "silent")
    const abort = new AbortController()
    const ended = yield* Effect.forkChild(Effect.flip(Effect.tryPromise(() => resolve("hangs.example", abort.signal))))
    yield* until(() => server.questions.length === 2)
    abort.abort()
    yield* Fiber.join(ended)
    // Not so much as a repeat is sent afterwards: the first would come 1.5 seconds later.
    yield* Effect.sleep("2 seconds")
    assert.lengthOf(server.questions, 2)
  })
})

describe("the hosts file", () => {
  live("is read first, anew for each look-up, and its names are not asked for", function* () {
    const server = yield* dnsServer
    const hostsFile = join(yield* folder, "hosts")
    const resolve = resolveDns({ servers: [server.address], hostsFile })
    const lookUp = (hostname: string) =>
      Effect.map(
        Effect.tryPromise((signal) => resolve(hostname, signal)),
        (answers) => answers.map((each) => (typeof each === "string" ? each : each.address))
      )
    server.say("hooks.example", { addresses: ["8.8.8.8"] })
    assert.deepStrictEqual(yield* lookUp("hooks.example"), ["8.8.8.8"])
    const asked = server.questions.length
    writeFileSync(hostsFile, "10.0.0.7 Hooks.Example # ours\n")
    assert.deepStrictEqual(yield* lookUp("hooks.example"), ["10.0.0.7"])
    assert.lengthOf(server.questions, asked)
  })

  const name = fc.constantFrom("hooks.example", "other.example", "hooks.example.org", "my-hooks.example")
  const line = fc.record({
    address: fc.constantFrom("10.0.0.7", "fd00::7", "8.8.8.8", "no-address", ""),
    names: fc.array(name, { maxLength: 3 }),
    gap: fc.constantFrom(" ", "\t", " \t  "),
    comment: fc.constantFrom("", "# hooks.example", "#", " # 10.0.0.9 hooks.example"),
    end: fc.constantFrom("\n", "\r\n")
  })

  it("says of a name what the lines with it say, in their order", () =>
    forEvery(fc.array(line, { maxLength: 8 }), name, (lines, asked) => {
      const text = lines
        .map(({ address, comment, end, gap, names }) => `${[address, ...names].join(gap)}${comment}${end}`)
        .join("")
      const expected = lines
        .filter(({ address, names }) => address !== "no-address" && address !== "" && names.includes(asked))
        .map(({ address }) => address)
      assert.deepStrictEqual(addressesIn(text, asked), expected)
    }))
})
