import { Layer, Predicate, Struct } from "effect"
import { aFunction, aService, checkOptions, type OptionRule } from "../../app/kernel/host/InvalidOption.ts"

const aMaker = aFunction("a function that answers a layer of the adapter")
const aLayer: OptionRule = { holds: Layer.isLayer, expected: "a layer of the adapter" }

/** What the suites cannot begin without, by suite. */
const members = {
  macs: { layer: aMaker },
  mailTransport: { layer: aLayer, unable: aLayer },
  rateLimiter: { layer: aMaker },
  secretBox: { layer: aMaker },
  statementContent: { layer: aLayer, contentOf: aFunction("a function that answers an effect of a content") },
  transaction: { records: aService("insert", "find", "hold", "rename", "names") },
  webhookAddresses: { layer: aMaker },
  webhookTransport: { layer: aMaker, receiver: aFunction("a function that starts a receiver") }
} satisfies Readonly<Record<string, Readonly<Record<string, OptionRule>>>>

/**
 * The checks of a subject that has what its suite asks for. A subject may have more, since one is often given to many suites.
 * Throws InvalidOption, a RangeError that names the member, where it is missing: no compiler may have seen it.
 */
export const ofSubject =
  <Subject, Checks>(
    suite: keyof typeof members,
    checksOf: (subject: Subject) => Checks
  ): ((subject: Subject) => Checks) =>
  (subject) => {
    const rules: ReadonlyArray<readonly [string, OptionRule]> = Object.entries(members[suite])
    const names = rules.map(([name]) => name)
    const required = Object.fromEntries(rules.map(([name, rule]) => [name, { ...rule, required: true }]))
    const given: unknown = Predicate.isObject(subject) ? Struct.pick(subject, names) : subject
    checkOptions(`Checks.${suite}`, required, given, names.join(", "))
    return checksOf(subject)
  }
