/**
 * The source of a message, from which its text and its HTML are made: a line `Subject: …`, then blocks with empty lines
 * between. `# …` is a heading, `[label]({{link}})` on a line of its own a button, `> …` small print, anything else a
 * paragraph. `{{value}}` shows a value; there is no logic.
 */
import { kinds, linkPaths, type MailKind } from '../kinds.ts'

export type Block = { kind: 'heading' | 'paragraph' | 'button' | 'small'; text: string }
export type Template = { subject: string; blocks: readonly Block[] }

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
  const blocks = rest
    .join('\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map(toBlock)
  const faults = [
    ...(subject === undefined ? ['does not begin with a line "Subject: …"'] : []),
    ...(blocks.length === 0 ? ['has no text below its subject'] : []),
    ...faultsOfValues(kind, source),
    ...faultsOfLink(kind, subject ?? '', blocks),
  ]
  return subject === undefined || faults.length > 0 ? { faults } : { subject, blocks }
}

function toBlock(block: string): Block {
  const text = (from: number) => block.slice(from).replaceAll(/\s*\n(?:> ?)?\s*/g, ' ')
  const button = /^\[([^\]\n]+)\]\(\{\{link\}\}\)$/.exec(block)
  if (button) return { kind: 'button', text: button[1] as string }
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

function faultsOfLink(kind: MailKind, subject: string, blocks: readonly Block[]): string[] {
  const buttons = blocks.filter((block) => block.kind === 'button').length
  const isElsewhere = [subject, ...blocks.map(({ text }) => text)].some((text) => text.includes('{{link}}'))
  if (linkPaths[kind] === undefined) return buttons > 0 ? ['has a button, but this message has no link'] : []
  return [
    ...(buttons === 1 ? [] : ['needs exactly one line "[label]({{link}})"']),
    ...(isElsewhere ? ['uses {{link}} outside of its button'] : []),
  ]
}
