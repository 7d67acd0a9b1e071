/** Writes the logos of an exported configuration to files, and refers to them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { logoMembers } from '../../core/configuration-file.ts'
import { tell } from '../terminal/output.ts'

/** Returns the text with `{ file: PATH }` in place of data URLs. The rest stays as it is, comments included. */
export async function writeLogoFiles(text: string, directory: string): Promise<string> {
  const { isScalar, parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const logos = Object.entries(logoMembers)
    .flatMap(([section, members = []]) => members.map((member) => [section, member] as const))
    .flatMap(([section, member]) => {
      const node = document.getIn([section, member], true)
      if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return []
      const [start, end] = node.range
      return [{ member, url: node.value, start, end }]
    })
  // From the last one, so that the places of the others stay right.
  return logos
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { member, url, start, end }) => {
      const path = saveLogo(url, member, directory)
      return `${rest.slice(0, start)}{ file: ${JSON.stringify(path)} }${rest.slice(end)}`
    }, text)
}

function saveLogo(url: string, member: string, directory: string): string {
  const suffix = url.startsWith('data:image/png') ? 'png' : 'svg'
  const path = join(directory, `${member.replace('_', '-')}.${suffix}`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(path, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))
  tell(`${member} is in ${path}.`)
  return path
}
