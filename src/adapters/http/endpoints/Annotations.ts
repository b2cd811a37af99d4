import { Context } from "effect"
import type { AnyOperation } from "../../../app/access/operation/Operation.ts"
import type { FieldNames } from "../../../app/kernel/decoding/Decoder.ts"
import type { Requirement } from "../../../domain/access/Policy.ts"
import type { ListSpec } from "../../../domain/kernel/Listing.ts"
import type { Example } from "./Example.ts"

/** Name, scope and plan of the operation that an endpoint stands for. */
export class Performs extends Context.Service<Performs, Requirement>()("almoner/http/Performs") {}

export class Over extends Context.Service<Over, AnyOperation>()("almoner/http/Over") {}

export class Shows extends Context.Service<Shows, Example>()("almoner/http/Shows") {}

export class Lists extends Context.Service<Lists, ListSpec>()("almoner/http/Lists") {}

/** The record that an endpoint's body writes to: it has names that this operation cannot write. */
export class Writes extends Context.Service<Writes, FieldNames>()("almoner/http/Writes") {}

/** Whether an Idempotency-Key counts. decisions, section 2, step 8. */
export const TakesKey = Context.Reference<boolean>("almoner/http/Keyed", { defaultValue: () => false })

/** Whether the answer holds a secret: its stored bytes are sealed. */
export const AnswersSecret = Context.Reference<boolean>("almoner/http/AnswersSecret", { defaultValue: () => false })
