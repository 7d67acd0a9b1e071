/**
 * The source of a message, from which its text and its HTML are made: a line `Subject: …`, perhaps a line `Summary: …`, then blocks
 * with empty lines between. `# …` is a heading, `[label]({{link}})`, `[label]({{account}})`, `[label]({{requests}})` or
 * `[label]({{reviews}})` on a line of its own a button, * `{{notices}}` on a line of its own the list of gathered notices, `> …` small print, anything else a paragraph. `{{value}}`
 * shows a value; there is no logic.
 */
import { kinds, linkPaths, type MailKind } from '../kinds.ts'

export type Block =
  | { kind: 'heading' | 'paragraph' | 'small' | 'notices'; text: string }
  | { kind: 'button'; text: string; to: Target }

/** Where a button can lead. */
const targets = ['link', 'account', 'requests', 'reviews'] as const
type Target = (typeof targets)[number]

export type Template = {
  subject: string
  /** What mail programs show after the subject, and what a message of gathered notices says of this one. */
  summary: string | undefined
  blocks: readonly Block[]
}

const longestSource = 20_000

/** @returns the template, or what is wrong with its source */
export function parseTemplate(kind: MailKind, source: string): Template | { faults: string[] } {
  if (source.length > longestSource) return { faults: [`is longer than ${longestSource} characters`] }
  const [first = '', ...rest] = source
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim()
    .split('\n')
  const subject = /^Subject: (.+)$/.exec(first)?.[1]?.trim()
  const summary = /^Summary: (.+)$/.exec(rest[0] ?? '')?.[1]?.trim()
  const blocks = (summary === undefined ? rest : rest.slice(1))
    .join('\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map(toBlock)
  const faults = [
    ...(subject === undefined ? ['does not begin with a line "Subject: …"'] : []),
    ...(blocks.length === 0 ? ['has no text below its subject'] : []),
    ...faultsOfValues(kind, source),
    ...faultsOfButtons(kind, `${subject} ${summary}`, blocks),
    ...faultsOfNotices(kind, `${subject} ${summary}`, blocks),
  ]
  return subject === undefined || faults.length > 0 ? { faults } : { subject, summary, blocks }
}

function toBlock(block: string): Block {
  const text = (from: number) => block.slice(from).replaceAll(/\s*\n(?:> ?)?\s*/g, ' ')
  const button = /^\[([^\]\n]+)\]\(\{\{(link|account|requests|reviews)\}\}\)$/.exec(block)
  if (button) return { kind: 'button', text: button[1] as string, to: button[2] as Target }
  if (block === '{{notices}}') return { kind: 'notices', text: '' }
  if (block.startsWith('# ')) return { kind: 'heading', text: text(2) }
  if (block.startsWith('> ')) return { kind: 'small', text: text(2) }
  return { kind: 'paragraph', text: text(0) }
}

function faultsOfValues(kind: MailKind, source: string): string[] {
  const known: readonly string[] = kinds[kind]
  const named = [...source.matchAll(/\{\{([^}]*)\}\}/g)].map(([, name = '']) => name)
  const unknown = [...new Set(named)].filter((name) => !known.includes(name))
  const rest = source.replaceAll(/\{\{[^}]*\}\}/g, '')
  return [
    ...unknown.map((name) => `uses {{${name}}}; it can use ${known.map((one) => `{{${one}}}`).join(', ')}`),
    ...(/\{\{|\}\}/.test(rest) ? ['has {{ or }} without the other'] : []),
  ]
}

function faultsOfButtons(kind: MailKind, head: string, blocks: readonly Block[]): string[] {
  const buttons = blocks.filter((block) => block.kind === 'button')
  const hasLink = linkPaths[kind] !== undefined
  const value = targets.find((target) => (kinds[kind] as readonly string[]).includes(target))
  if (value === undefined) return buttons.length > 0 ? ['has a button, but this message has no link'] : []
  const isRight = buttons.every(({ to }) => to === value) && buttons.length <= 1 && (buttons.length === 1 || !hasLink)
  return [
    ...(isRight ? [] : [`${hasLink ? 'needs exactly one' : 'can have one'} line "[label]({{${value}}})"`]),
    ...(isElsewhere(value, head, blocks) ? [`uses {{${value}}} outside of its button`] : []),
  ]
}

function faultsOfNotices(kind: MailKind, head: string, blocks: readonly Block[]): string[] {
  if (kind !== 'notices') return []
  const isRight = blocks.filter((block) => block.kind === 'notices').length === 1
  return isRight && !isElsewhere('notices', head, blocks) ? [] : ['needs exactly one line "{{notices}}"']
}

function isElsewhere(value: string, head: string, blocks: readonly Block[]): boolean {
  return [head, ...blocks.map(({ text }) => text)].some((text) => text.includes(`{{${value}}}`))
}
