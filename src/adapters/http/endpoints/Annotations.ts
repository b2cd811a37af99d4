import { Context } from "effect"
import type { AnyOperation } from "../../../app/access/steps/Operation.ts"
import type { Operation } from "../../../domain/access/Policy.ts"
import type { ListSpec } from "../../../domain/kernel/Listing.ts"

/** The operation that an endpoint stands for: what it asks of its caller is read from `domain/access/Policy`. */
export class Performs extends Context.Service<Performs, Operation>()("almoner/http/Performs") {}

/** What the operation takes and gives, and what runs it: the endpoint's handler is made of it. */
export class Over extends Context.Service<Over, AnyOperation>()("almoner/http/Over") {}

/** What a list endpoint offers. */
export class Lists extends Context.Service<Lists, ListSpec>()("almoner/http/Lists") {}

/** The names of a record's fields, each with those of the records inside it. */
export interface FieldNames {
  readonly [name: string]: FieldNames
}

/** The record that an endpoint's body writes to: it has names that this operation cannot write. */
export class Writes extends Context.Service<Writes, FieldNames>()("almoner/http/Writes") {}

/** Whether the answer holds a secret: its stored bytes are sealed. */
export const AnswersSecret = Context.Reference<boolean>("almoner/http/AnswersSecret", { defaultValue: () => false })
