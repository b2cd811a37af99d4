import { Context, Effect, Stream } from "effect"
import type { InvalidInput } from "../../domain/kernel/Rejection.ts"

/**
 * Opens what an import names as its content: the text itself, unless who asks names files of the machine. Reading MUST begin anew
 * each time, and be refused as `content` where it cannot.
 */
export const StatementContent = Context.Reference<
  (content: string) => Effect.Effect<Stream.Stream<string, InvalidInput>, InvalidInput>
>("almoner/ports/StatementContent", { defaultValue: () => (content) => Effect.succeed(Stream.make(content)) })
