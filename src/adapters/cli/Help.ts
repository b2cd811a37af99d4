import { Console, Effect, Option } from "effect"
import { CliOutput, type HelpDoc } from "effect/cli"
import { nameOf } from "./Operation.ts"
import { operations } from "./Operations.ts"
import { settingsHelp } from "./Settings.ts"

type Described = Pick<HelpDoc.FlagDoc, "description" | "required">

/** Marks flags and arguments that are required. A description tells a default itself; all others may be left out. */
const marked = <D extends Described>(doc: D): D => ({
  ...doc,
  description: doc.required ? Option.map(doc.description, (text) => `${text} (required)`) : doc.description
})

const ofOrganisation: ReadonlySet<string> = new Set(operations.filter((each) => each.ofOrganisation).map(nameOf))

/** Prints the help of one command; for `serve` with the environment's settings. */
export const helpFor = (event: CliOutput.Presenter.Help): Effect.Effect<void> => {
  const { helpDoc } = event
  const command = event.commandPath.slice(1).join(" ")
  const globalFlags = helpDoc.globalFlags?.map((flag) =>
    marked(flag.name === "organisation" && ofOrganisation.has(command) ? { ...flag, required: true } : flag)
  )
  const whole: HelpDoc.HelpDoc = {
    ...helpDoc,
    flags: helpDoc.flags.map(marked),
    ...(helpDoc.args === undefined ? {} : { args: helpDoc.args.map(marked) }),
    ...(globalFlags === undefined ? {} : { globalFlags })
  }
  const printed = CliOutput.defaultPresenter.present({ ...event, helpDoc: whole })
  return command === "serve" ? Effect.andThen(printed, Console.log(`\n${settingsHelp()}`)) : printed
}
