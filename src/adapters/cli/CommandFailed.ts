import { Schema } from "effect"

/** A command ended without doing its work; the message is one sentence for the person who gave it. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

/** The failure whose message is its sentence, as that of a command. */
export const failedWith = ({ message }: { readonly message: string }): CommandFailed => new CommandFailed({ message })

/** Another process holds the database, so that a command must ask that one. The message says who holds it. */
export class DatabaseHeld extends Schema.TaggedError<DatabaseHeld>()("DatabaseHeld", { message: Schema.String }) {}
