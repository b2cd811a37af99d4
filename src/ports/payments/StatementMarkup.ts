import { Context, type Effect } from "effect"
import type { MarkupDialect, MarkupParser } from "../../domain/payments/Markup.ts"

/** Parsers of the files of banks that are marked up. */
export class StatementMarkup extends Context.Service<
  StatementMarkup,
  {
    /**
     * A parser of one file. It MUST find the same whatever pieces a file comes in. It MUST tell one fault of what is not sound,
     * and nothing after it: never throw. It MUST tell a fault of a document type, since it defines entities. It MUST tell a
     * fault of a file that has no tag for `Limits.markupTagCharacters`. It MUST give the names of SGML in capitals, and take an
     * ampersand that begins no entity for text.
     */
    open(dialect: MarkupDialect): Effect.Effect<MarkupParser>
  }
>()("almoner/ports/StatementMarkup") {}
