import { Effect, type Layer, Result } from "effect"
import fc from "fast-check"
import { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { type AddressRules, judgeAnswers, judgeUrl } from "../../domain/outbox/WebhookAddress.ts"
import { WebhookAddresses } from "../../ports/outbox/WebhookAddresses.ts"
import { assert } from "./Assert.ts"
import { type Check, lawsIn, runsOf, type Thoroughness } from "./Suite.ts"

/** Address checks under test. */
export interface AddressesSubject<E> extends Thoroughness {
  /** Address checks that resolve host names with `resolve`: all A and AAAA answers, or a rejection where there is none. */
  readonly layer: (resolve: (hostname: string) => Promise<ReadonlyArray<string>>) => Layer.Layer<WebhookAddresses, E>
}

const vetted =
  "WebhookAddresses.vet MUST refuse a URL that the rules of domain/outbox/WebhookAddress refuse as written, one whose host"

const untold = "WebhookAddresses.vet MUST NOT tell the caller what a name resolved to, nor whether it did"

const [organisation, other] = [
  OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d"),
  OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5e")
] as const

/** The addresses of names; any other name has none. */
const hosts = new Map<string, ReadonlyArray<string>>([
  ["good.example.org", ["8.8.8.8", "2606:4700::1111"]],
  ["private.example.org", ["10.1.2.3"]],
  ["rebound.example.org", ["8.8.8.8", "127.0.0.1"]],
  ["last.example.org", ["8.8.8.8", "1.1.1.1", "fd00::1"]],
  ["metadata.example.org", ["169.254.169.254"]],
  ["empty.example.org", []]
])

const resolve = (hostname: string): Promise<ReadonlyArray<string>> => {
  const answers = hosts.get(hostname)
  return answers === undefined ? Promise.reject(new Error(`${hostname} is not known`)) : Promise.resolve(answers)
}

const hanging = (hostname: string) =>
  hostname.startsWith("hangs") ? new Promise<never>(() => undefined) : resolve(hostname)

const url = fc
  .tuple(
    fc.constantFrom("https", "http", "ftp"),
    fc.constantFrom("", "", "", "user@"),
    fc.constantFrom(
      ...hosts.keys(),
      "unknown.example.org",
      "localhost",
      "printer.local",
      "8.8.8.8",
      "127.0.0.1",
      "[::1]"
    ),
    fc.constantFrom("", "", ":8443", ":0"),
    fc.constantFrom("/", "/hooks?a=b", "/#part")
  )
  .map(([scheme, user, host, port, path]) => `${scheme}://${user}${host}${port}${path}`)

const rules: fc.Arbitrary<AddressRules> = fc.record({
  require_https: fc.boolean(),
  allowed_cidrs: fc.constantFrom([], ["127.0.0.0/8", "::1/128"], ["10.0.0.0/8"])
})

const isAllowed = (url: string, rules: AddressRules): boolean => {
  const judged = judgeUrl(url, rules)
  if (Result.isFailure(judged)) return false
  const { addresses, hostname } = judged.success
  return addresses !== null || Result.isSuccess(judgeAnswers(hostname, hosts.get(hostname) ?? [], rules))
}

/** The laws of {@link WebhookAddresses}. */
export const addresses = <E>(subject: AddressesSubject<E>): ReadonlyArray<Check> => [
  lawsIn(subject.layer(resolve)).property(
    "a URL is accepted exactly when the rules allow it and every address that its host resolves to",
    [vetted],
    runsOf(subject) * 10,
    fc.tuple(url, rules),
    function* ([url, rules]) {
      const { vet } = yield* WebhookAddresses
      const result = yield* Effect.result(vet(url, rules, organisation))
      assert.strictEqual(Result.isSuccess(result), isAllowed(url, rules), url)
      if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "AddressRefused")
    }
  ),

  lawsIn(subject.layer(resolve)).must(
    "one refused address among others refuses the host, wherever it stands",
    [vetted],
    function* () {
      const { vet } = yield* WebhookAddresses
      const none: AddressRules = { require_https: true, allowed_cidrs: [] }
      yield* vet("https://good.example.org/", none, organisation)
      for (const host of ["rebound", "last", "private", "metadata", "empty", "unknown"]) {
        const result = yield* Effect.result(vet(`https://${host}.example.org/`, none, organisation))
        assert.isTrue(Result.isFailure(result), host)
      }
    }
  ),

  lawsIn(subject.layer(hanging)).law("one organisation's look-ups that hang hold up no other's", function* () {
    const { vet } = yield* WebhookAddresses
    const rules: AddressRules = { require_https: true, allowed_cidrs: [] }
    const names = Array.from({ length: 2 * Limits.webhookLookups }, (_, index) => `https://hangs-${index}.example.org/`)
    const held = Effect.raceAllFirst(names.map((url) => Effect.exit(vet(url, rules, organisation))))
    const free = Effect.as(vet("https://good.example.org/", rules, other), "free")
    assert.strictEqual(yield* Effect.raceFirst(Effect.as(held, "held"), free), "free")
  }),

  lawsIn(subject.layer(resolve)).must(
    "the refusal of a name does not tell what it resolved to, nor whether it did",
    [untold],
    function* () {
      const { vet } = yield* WebhookAddresses
      const none: AddressRules = { require_https: true, allowed_cidrs: [] }
      const reasons = new Set<string>()
      for (const host of ["rebound", "last", "private", "metadata", "empty", "unknown"]) {
        const name = `${host}.example.org`
        const { reason } = yield* Effect.flip(vet(`https://${name}/`, none, organisation))
        reasons.add(reason.replaceAll(name, "name"))
      }
      assert.strictEqual(reasons.size, 1, [...reasons].join(" | "))
    }
  )
]
