/** The settings of `openRollbook` as a type, which editors show with the texts of docs/configuration.md. */
import { ofOwnServer } from '../src/app/embedded/own-server.ts'
import { type Config, type Setting, settings } from '../src/core/config.ts'

export function embeddedSettings(): string {
  const all = Object.entries<Setting>(settings) as [keyof Config, Setting][]
  const members = all.filter(([member]) => !ofOwnServer.includes(member)).flatMap(([, setting]) => membersOf(setting))
  return `// Made from src/core/settings/ by \`npm run generate\`; change it there.

/** Texts, as in the environment. docs/configuration.md explains them. */
export type Settings = {
${members.join('\n')}
}
`
}

function membersOf({ name, kind, default: fallback, why, secret }: Setting): string[] {
  const isRequired = name === settings.publicUrl.name
  const reason = isRequired ? 'Required: the address that clients use, including the base path.' : why
  const about = [reason, `Accepts ${kind.expected}.`, ...(fallback === undefined ? [] : [`Default: \`${fallback}\`.`])]
  const lines = [`  /** ${about.join(' ')} */`, `  readonly ${name}?: string | undefined`]
  if (secret) lines.push(`  /** A file that contains \`${name}\`. */`, `  readonly ${name}_FILE?: string | undefined`)
  return lines
}
