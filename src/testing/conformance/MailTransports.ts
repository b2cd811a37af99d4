import { Effect, type Layer } from "effect"
import fc from "fast-check"
import { languages } from "../../domain/kernel/Language.ts"
import { type MailPart, plainText } from "../../domain/kernel/MailContent.ts"
import { type MailMessage, MailTransport } from "../../ports/outbox/MailTransport.ts"
import { webUrl } from "../Characters.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { type Check, property, runsOf, same, type Thoroughness } from "./Suite.ts"

/** A transport under test, in two worlds. */
export interface MailTransportSubject<E> extends Thoroughness {
  /** Where every mail can be sent. */
  readonly layer: Layer.Layer<MailTransport, E>
  /** Where none can at present, such as with a server that is away. */
  readonly unable: Layer.Layer<MailTransport, E>
}

const part: fc.Arbitrary<MailPart> = fc.oneof(
  Generators.text(200),
  fc.record({ kind: fc.constant("quote" as const), text: Generators.text(200) }),
  fc.record({ kind: fc.constant("facts" as const), rows: fc.array(fc.tuple(Generators.text(), Generators.text())) }),
  fc.record({
    kind: fc.constant("link" as const),
    label: Generators.text(),
    url: webUrl.map((url) => new URL(url))
  })
)

const message: fc.Arbitrary<MailMessage> = fc
  .record({
    language: fc.constantFrom(...languages),
    number: fc.nat(),
    subject: Generators.text(),
    parts: fc.array(part, { maxLength: 4 })
  })
  .map(({ number, ...said }) => ({
    ...said,
    text: plainText(said),
    id: `mail_${number}`,
    to: `canary${number}@example.org`
  }))

const sentBy = <E>(layer: Layer.Layer<MailTransport, E>, messages: ReadonlyArray<MailMessage>) =>
  Effect.provide(
    Effect.flatMap(MailTransport, (transport) => Effect.forEach(messages, (each) => transport.send(each))),
    layer
  )

/** The laws of {@link MailTransport}. */
export const mailTransports = <E>(subject: MailTransportSubject<E>): ReadonlyArray<Check> => [
  property("a message that goes out is Sent, and so is a repetition", [], runsOf(subject), message, function* (given) {
    same(yield* Effect.orDie(sentBy(subject.layer, [given, given])), [{ _tag: "Sent" }, { _tag: "Sent" }])
  }),

  property(
    "what cannot be sent at present has Failed, with a reason that names nobody",
    ["MailTransport.send MUST answer whatever goes wrong, and never die"],
    runsOf(subject),
    message,
    function* (given) {
      const [outcome] = yield* Effect.orDie(sentBy(subject.unable, [given]))
      // A mail that was Refused is never sent again.
      assert.isTrue(outcome?._tag === "Failed", `the outcome is ${outcome?._tag}`)
      const reason = outcome?._tag === "Failed" ? outcome.reason : ""
      assert.matches(reason, /^[\w ]{1,60}$/)
      assert.isFalse(reason.includes("canary"))
    }
  )
]
