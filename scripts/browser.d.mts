/** The program of a Chromium: the one that `CHROMIUM` names, or one that is installed. Undefined where there is none. */
export declare const chromium: string | undefined
