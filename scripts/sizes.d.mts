/** A module with all that it exports, minified and compressed, in KB. */
export interface Size {
  readonly name: string
  /** With what it imports from peers. */
  readonly all: number
  /** Of this package and its dependencies alone. */
  readonly own: number
  /** The size that it must not have; empty where there is none. */
  readonly bound: string
}

export declare function sizes(): Promise<ReadonlyArray<Size>>
export declare function sizesMarkdown(found: ReadonlyArray<Size>): string
