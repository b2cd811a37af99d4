import { Effect, Layer, Predicate, Schema } from "effect"
import {
  aFunction,
  aService,
  aText,
  aWholeNumber,
  checkOptions,
  InvalidOption,
  type OptionRules,
  tryOptions
} from "../app/kernel/host/InvalidOption.ts"
import { Cidr } from "../domain/access/Cidr.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import type { Tokens } from "../ports/kernel/Tokens.ts"
import type { DeclaredEventTypes } from "../ports/outbox/HostEvents.ts"
import { needsNoKeys, refusalOf } from "./Adapters.ts"
import { declaredBy } from "./HostEvents.ts"
import type { Options } from "./Options.ts"
import { processorFault } from "./OwnProcessors.ts"

export { InvalidOption } from "../app/kernel/host/InvalidOption.ts"

const aNetworkList = Schema.is(Schema.Array(Cidr))

const ofTokens: Readonly<Record<keyof Tokens["Service"], true>> = {
  id: true,
  base62: true,
  words: true,
  digest: true,
  digestBytes: true
}

const isPublicUrl = (text: string): boolean => {
  const url = text.replaceAll("{slug}", "slug")
  return url !== text && /^https?:\/\/[^/]/.test(url) && !/[?#\s]/.test(url) && URL.canParse(url)
}

const isBackend = (value: unknown): boolean =>
  Predicate.hasProperty(value, "stores") && Layer.isLayer(value.stores) && Predicate.hasProperty(value, "keys")

const rules: OptionRules<Options<never, unknown>> = {
  backend: {
    holds: isBackend,
    expected: "what memory(), pglite() or postgres() gives, each from the entry of its name",
    required: true
  },
  keys: aText("text of the form id:base64 with 32 random bytes, comma-separated, newest first"),
  clock: aFunction("a function that gives milliseconds since the epoch"),
  tokens: aService(...Object.keys(ofTokens)),
  logger: aFunction("a function that takes a line of the log"),
  webhookTransport: {
    holds: (value) => Predicate.isFunction(value) || Layer.isLayer(value),
    expected: "webhookTransport of almoner/webhooks, or a function that sends a request and gives its outcome"
  },
  mailer: aFunction("a function that sends a mail and gives its outcome"),
  stripe: {
    holds: (value) => Predicate.hasProperty(value, "processor") && Effect.isEffect(value.processor),
    expected: "what stripe() of almoner/stripe gives"
  },
  processors: { holds: Predicate.isObject, expected: "an object of payment processors by their names" },
  publicUrlTemplate: aText("an http or https URL that contains {slug}", isPublicUrl),
  sweepIntervalMinutes: aWholeNumber(1, Limits.sweepIntervalMinutes),
  deliveryRetentionDays: aWholeNumber(1, Limits.deliveryRetentionDays),
  events: {
    holds: Predicate.isObject,
    expected: 'an object of schemas by the types of events, e.g. { "x.pledge.signed": schema }'
  },
  adapters: { holds: Predicate.isObject, expected: "an object of adapters by the names of their ports" },
  operatorCidrs: { holds: aNetworkList, expected: "a list of networks in CIDR notation, e.g. 10.1.0.0/16" }
}

const keysMissing =
  "The option keys of Almoner.open is missing: with this backend it must be given, as id:base64 with 32 random bytes, because secrets that it seals outlive the process."

const check = <Client, Events>(options: Options<Client, Events>): DeclaredEventTypes => {
  checkOptions("Almoner.open", rules, options, "{ backend: memory() } is the least")
  const adapters = options.adapters ?? {}
  const refusal = refusalOf(adapters)
  if (refusal !== undefined) throw new InvalidOption("adapters", refusal)
  const fault = processorFault(options.processors ?? {})
  if (fault !== undefined) throw new InvalidOption("processors", fault)
  if (options.keys === undefined && options.backend.keys._tag === "Given" && !needsNoKeys(adapters)) {
    throw new InvalidOption("keys", keysMissing)
  }
  return declaredBy(options.events)
}

/** The event types that the options declare. Fails with {@link InvalidOption} for options that cannot be used. */
export const validOptions = <Client, Events>(
  options: Options<Client, Events>
): Effect.Effect<DeclaredEventTypes, InvalidOption> => tryOptions("Almoner.open", () => check(options))
