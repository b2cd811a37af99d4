import { Context, type Effect } from "effect"
import type { MarkupDialect, MarkupParser } from "../../domain/payments/Markup.ts"

/** Parsers of the files of banks that are marked up. */
export class StatementMarkup extends Context.Service<
  StatementMarkup,
  {
    /**
     * A parser of one file. It MUST NOT throw, whatever the file has; MUST fail at a document type, so that no entity is read; and
     * MUST keep no more of the file than an element, of which it bounds the size.
     */
    open(dialect: MarkupDialect): Effect.Effect<MarkupParser>
  }
>()("almoner/ports/StatementMarkup") {}
