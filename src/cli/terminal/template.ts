/** Templates of `--template`: text with members of the API in double braces, and \n, \t and \\. */
import { InvalidArgumentError } from 'commander'

/** Literal texts and, at the odd places, names of members. */
export type Template = readonly string[]

export function readTemplate(text: string, known: (name: string) => string): Template {
  const parts = text.split(/\{\{\s*([^{}]*?)\s*\}\}/)
  const members = parts.map((part, i) => (i % 2 === 1 ? known(part) : unescaped(part)))
  if (members.length === 1 || members.some((part, i) => i % 2 === 0 && /\{\{|\}\}/.test(part)))
    throw new InvalidArgumentError("A template has members in double braces, as in '{{username}} {{email}}'.")
  return members
}

export function fill(template: Template, cell: (name: string) => string): string {
  return template.map((part, i) => (i % 2 === 1 ? cell(part) : part)).join('')
}

const escapes: Record<string, string> = { '\\n': '\n', '\\t': '\t', '\\\\': '\\' }

function unescaped(text: string): string {
  return text.replaceAll(/\\[nt\\]/g, (sign) => escapes[sign] as string)
}
