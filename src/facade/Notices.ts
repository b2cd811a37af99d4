import { Effect, Predicate } from "effect"
import { aText, checkOptions, isTexts, type OptionRules } from "../app/kernel/host/InvalidOption.ts"
import { NoticeReceiver } from "../app/payments/notice/NoticeReceiver.ts"

/** A webhook of a payment processor as it came to a host. */
export interface HostNotice {
  /** The integration that it is for. Where none is given, it is for the installation's own account at `processor`. */
  readonly integration_id?: string | undefined
  /** The processor whose account it is, where that is the installation's own. */
  readonly processor?: string | undefined
  /** The headers of the request; their names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body, byte for byte as it came: a signature holds for nothing else. */
  readonly body: Uint8Array | string
}

/** A processor's webhook that was accepted. */
export interface NoticeReceipt {
  /** Whether it was not known before; a repetition does nothing. */
  readonly is_new: boolean
}

const entriesOf = (headers: HostNotice["headers"]): ReadonlyArray<readonly [string, string]> =>
  headers instanceof Headers
    ? [...headers]
    : Object.entries(headers).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> => {
        if (value === undefined) return []
        return [[name, typeof value === "string" ? value : value.join(", ")]]
      })

const isHeader = (value: unknown): boolean => value === undefined || Predicate.isString(value) || isTexts(value)

const isHeaders = (value: unknown): boolean =>
  value instanceof Headers || (Predicate.isObject(value) && Object.values(value).every(isHeader))

const rules: OptionRules<HostNotice> = {
  integration_id: aText("the id of an integration"),
  processor: aText("the name of a processor"),
  headers: { holds: isHeaders, expected: "the headers of the request, each text or a list of texts", required: true },
  body: {
    holds: (value) => Predicate.isString(value) || value instanceof Uint8Array,
    expected: "the body of the request, byte for byte: text or a Uint8Array",
    required: true
  }
}

/** Takes a notice in as a host has it. Dies with {@link InvalidOption} for what is none. */
export const receiveNotice = (notice: HostNotice) =>
  Effect.flatMap(NoticeReceiver, (intake) => {
    checkOptions("receiveNotice", rules, notice, "{ headers, body }")
    const { body, headers, integration_id, processor = "" } = notice
    const named = Object.fromEntries(entriesOf(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
    const address =
      integration_id === undefined
        ? ({ _tag: "Platform", processor } as const)
        : ({ _tag: "Integration", id: integration_id } as const)
    return Effect.map(intake.receive(address, named, bytes), (is_new): NoticeReceipt => ({ is_new }))
  })
