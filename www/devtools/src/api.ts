/** What the extension uses of the browser. Firefox has the same under the name `browser`. */

export interface EvalProblem {
  readonly isError?: boolean;
  readonly isException?: boolean;
  readonly code?: string;
  readonly description?: string;
  /** What stands for each `%s` of the description. */
  readonly details?: readonly unknown[];
  readonly value?: string;
}

export interface DevTools {
  readonly inspectedWindow: {
    eval(
      expression: string,
      callback: (result: unknown, problem: EvalProblem | undefined) => void,
    ): void;
    reload(options: { readonly injectedScript: string }): void;
  };
  readonly panels: {
    create(title: string, icon: string, page: string): void;
  };
}

interface Host {
  readonly devtools: DevTools;
}

const { browser, chrome } = globalThis as { browser?: Host; chrome?: Host };

/** Undefined outside of DevTools. */
export const devtools: DevTools | undefined = (chrome?.devtools ? chrome : browser)?.devtools;
