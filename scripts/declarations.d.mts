/** An entry of the package, with the file of its declarations. */
export interface Entry {
  readonly entry: string
  readonly types: string
}

export declare const root: string
export declare function entriesOf(): ReadonlyArray<Entry>
export declare function inOneOrder(text: string): string
export declare function declarationsDigest(entries?: ReadonlyArray<Entry>): string
