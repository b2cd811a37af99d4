import { statements } from "./Statements.ts"

/** Which reading of a processor's statement found a line last: one that a later reading of its day does not find is gone. */
export const statementReadings = statements(`ALTER TABLE processor_movements ADD COLUMN reading text`)
