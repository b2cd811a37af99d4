import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { Effect, Option, Predicate } from "effect"
import type { Flag } from "effect/cli"
import fc from "fast-check"
import { nameOf } from "../../src/adapters/cli/Operation.ts"
import { operations } from "../../src/adapters/cli/Operations.ts"
import { inFlags } from "../../src/adapters/cli/ParametersOf.ts"
import { forEveryAsync } from "../support/Property.ts"
import { withLayer } from "../support/Steps.ts"
import { almoner, json, newAccount, newFormOf, newOrganisation, StandardInput, world } from "./CommandWorld.ts"

interface Single {
  readonly kind: string
  readonly name: string
  readonly typeName?: string
  readonly description: Option.Option<string>
}

/** The flag or argument that a parameter is made of. */
const singleOf = (param: unknown): Single =>
  Predicate.hasProperty(param, "param") ? singleOf(param.param) : Object(param)

const flags = operations.flatMap((operation) =>
  Object.values(operation.parameters).flatMap((param) => {
    const single = singleOf(param)
    return single.kind === "flag" ? [{ command: nameOf(operation), param: param as Flag.Flag<unknown>, single }] : []
  })
)

const numbers = flags.filter(({ single }) => /^<number(,…)?>$/.test(single.typeName ?? ""))

/** The words of a shell in which a person or a program writes an amount that is no whole number of cents. */
const noWholeNumber = fc.oneof(
  fc.constantFrom(
    "50.00",
    "5e3",
    "1e400",
    "1,000.50",
    "3000,",
    ",1",
    "25.00,50.00",
    "[25.00]",
    "0x10",
    "",
    " ",
    "+5",
    "Infinity",
    "NaN",
    "١٢",
    "5 0"
  ),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: BigInt(Number.MAX_SAFE_INTEGER) + 1n }).map(String)
)

withLayer(world)("the words of the command", ({ effect, it }) => {
  it("take whole numbers alone for cents and counts, at every flag", () => {
    const commands = new Set(numbers.map(({ command, single }) => `${command} --${single.name}`))
    for (const named of [
      "donation create --amount-cents",
      "donation refund --amount-cents",
      "donation list --amount-cents-gte",
      "checkout submit --amount-cents",
      "checkout submit --amounts",
      "checkout-link create --amount-cents",
      "form create --suggested-amounts-cents",
      "tariff set --fixed-cents",
      "credit record --amount-cents",
      "exception resolve --amounts-cents",
      "audit list --limit"
    ]) {
      assert.isTrue(commands.has(named), named)
    }
    const read = ({ param, single }: (typeof numbers)[number], word: string) =>
      Effect.runPromise(
        param.parse({ flags: { [single.name]: [word] }, arguments: [] }).pipe(
          Effect.map(([, value]) => (Option.isOption(value) ? Option.getOrNull(value) : value)),
          Effect.mapError(({ message }) => message),
          Effect.result,
          Effect.provide(NodeServices.layer)
        )
      )
    return forEveryAsync(fc.constantFrom(...numbers), noWholeNumber, fc.maxSafeInteger(), async (flag, odd, whole) => {
      const refused = await read(flag, odd)
      assert.strictEqual(refused._tag, "Failure", `${flag.command} --${flag.single.name} ${odd}`)
      const said = refused._tag === "Failure" ? refused.failure : ""
      assert.include(said, `--${flag.single.name} `)
      if (/cents/.test(flag.single.name)) assert.match(said, /in cents.*: write \d+/)
      const taken = await read(flag, String(whole))
      const value = taken._tag === "Success" ? taken.success : undefined
      assert.strictEqual(String(value), String(whole))
    })
  })

  effect("keep a wrong amount from being performed, and say what to write", function* () {
    const { at } = yield* newFormOf("exact-sandbox", { name: "Appeal" })
    yield* newAccount(at)
    const give = ["checkout", "submit", ...at, "--form", "appeal", "--method", "card", "--email", "ada@example.org"]
    for (const odd of ["50.00", "5e3", "1e400", "1,000"]) {
      const { status, stderr } = yield* almoner(...give, "--amount-cents", odd, "--payment-token-file", "-").pipe(
        Effect.provideService(StandardInput, "4242 4242 4242 4242\n")
      )
      assert.strictEqual(status, 2)
      assert.include(stderr, "--amount-cents is in cents: write 5000 for 50.00. See: almoner checkout submit --help")
    }
    assert.isEmpty((yield* json("charge", "list", ...at)).data)
    const form = yield* almoner("form", "create", ...at, "--name", "Odd", "--suggested-amounts-cents", "[25.00,50.00]")
    assert.match(
      form.stderr,
      /^--suggested-amounts-cents are in cents, with commas: write 2500,5000 for 25\.00 and 50\.00\./
    )
  })

  effect(
    "refuse an organisation where the answer is of the whole installation, and one that is named twice",
    function* () {
      yield* newOrganisation("named")
      const named = ["--organisation", "named"]
      for (const command of [
        "ledger check",
        "user list",
        "organisation list",
        "tariff list",
        "key-ring status",
        "sweep",
        "check",
        "migrate",
        "serve"
      ]) {
        const { status, stderr } = yield* almoner(...command.split(" "), ...named)
        assert.deepStrictEqual(
          { status, stderr },
          { status: 2, stderr: "This command is for the whole installation: leave --organisation out." },
          command
        )
        assert.notInclude((yield* almoner(...command.split(" "), "--help")).stdout, "--organisation", command)
      }
      const twice = yield* almoner("donor", "list", ...named, "--organisation", "other")
      assert.strictEqual(twice.status, 2)
      assert.include(twice.stderr, "--organisation is given more than once: give it once.")
    }
  )

  effect("name flags in refusals, and speak of no types of JSON", function* () {
    const { at } = yield* newFormOf("worded-sandbox", { name: "Appeal" })
    yield* newAccount(at)
    const refusal = (...args: ReadonlyArray<string>) => Effect.map(almoner(...args, ...at), ({ stderr }) => stderr)
    const page = "Name the page by one of these: --form, --embed-token, --link or --set."
    assert.strictEqual(yield* refusal("checkout", "open"), page)
    assert.strictEqual(yield* refusal("checkout", "open", "--form", "appeal", "--set", "rset_1"), page)
    const submit = ["checkout", "submit", "--form", "appeal", "--method", "card", "--email", "ada@example.org"]
    assert.match(yield* refusal(...submit, "--amount-cents", "5000"), /^--payment-token-file must be /)
    assert.match(yield* refusal("donation", "list", "--created-at-gte", "soon"), /^--created-at-gte must be /)
    assert.match(yield* refusal("donor", "list", "--limit", "0"), /^--limit must be /)
    assert.match(
      yield* refusal("donor", "create", "--do-not-contact", "maybe"),
      /^--do-not-contact must be true or false\./
    )
    const sets = ["recommendation-set", "create", "--name", "Odd", "--allocations"]
    assert.match(yield* refusal(...sets, "half"), /^--allocations must be JSON: a list in brackets\./)
    assert.match(yield* refusal(...sets, '[{"amount_cents":"5"}]'), /^--allocations\[0\]\.\w+ /)
  })

  it("are those of the command wherever a field can be told from a word", () => {
    const { parameters = {} } = operations.find((each) => nameOf(each) === "credit import") ?? {}
    for (const [said, told] of [
      ["content must have at least one line.", "<file> must have at least one line."],
      ["With pass_over, lines are passed over.", "With --pass-over, lines are passed over."],
      ["Nothing was imported; with anyway, lines are.", "Nothing was imported; with --anyway, lines are."],
      ["Say with is_further that these came again, anyway.", "Say with --further that these came again, anyway."],
      ["day_column must be a string, not null.", "--day-column must be a string."],
      ["The content must have a format.", "The content must have a format."]
    ] as const) {
      assert.strictEqual(inFlags(parameters, said), told)
    }
  })

  it("speak in their help of nothing that only a request has", () => {
    for (const { command, single } of flags) {
      assert.notMatch(
        Option.getOrElse(single.description, () => ""),
        /\bthe path\b|\bbody of\b|`/,
        `${command} --${single.name}`
      )
    }
  })
})
