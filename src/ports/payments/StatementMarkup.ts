import { Context, type Effect } from "effect"
import type { MarkupDialect, MarkupParser } from "../../domain/payments/Markup.ts"

/** Parsers of the files of banks that are marked up. */
export class StatementMarkup extends Context.Service<
  StatementMarkup,
  {
    /**
     * A parser of one file. Whatever the file has, a fault is all that comes of it: also of a document type, since it defines
     * entities. Of the file no more is kept than an element, which is bounded.
     */
    open(dialect: MarkupDialect): Effect.Effect<MarkupParser>
  }
>()("almoner/ports/StatementMarkup") {}
