import { Schema } from "effect"
import { Sweeper } from "../../../app/outbox/Sweeper.ts"
import { Swept } from "../../../domain/outbox/Sweep.ts"
import { type Operation, ofInstallation } from "../Operation.ts"

export const sweepCommands: ReadonlyArray<Operation> = [
  ofInstallation({
    group: null,
    name: "sweep",
    description: "Write what has expired, and forget what is kept no longer, now rather than within the hour",
    parameters: {},
    input: Schema.Struct({}),
    output: Swept,
    run: () => Sweeper.use(({ sweepOnce }) => sweepOnce)
  })
]
