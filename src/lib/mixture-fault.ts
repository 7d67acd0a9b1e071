import { mixedScripts } from './scripts.ts'

/** Returns why a name mixes letters that look alike, as a sentence about a username; undefined if it does not. */
export function mixtureFault(key: string): string | undefined {
  const scripts = mixedScripts(key)
  if (scripts === undefined) return undefined
  const names = new Intl.ListFormat('en').format(scripts)
  return `The username mixes letters of ${names}, some of which look alike. Use one script.`
}
