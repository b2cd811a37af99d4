/** An entry of the package, with the file of its declarations. */
export interface Entry {
  readonly entry: string
  readonly types: string
}

export declare const root: string
export declare function entriesOf(): ReadonlyArray<Entry>
