/** Writes the list of all migrations from the files in their folder, in the order of their numbers. */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('../src/store/db/migrations/', import.meta.url)

export async function migrationList(): Promise<string> {
  const files = globSync('[0-9]*.ts', { cwd: fileURLToPath(folder) }).sort()
  const found = await Promise.all(
    files.map(async (file) => {
      const [name, ...others] = Object.keys(await import(new URL(file, folder).href))
      if (name === undefined || others.length > 0) throw new Error(`${file} must export one migration.`)
      return { file, name }
    }),
  )
  return `// Made from the files of this folder by \`npm run generate\`.
${found.map(({ file, name }) => `import { ${name} } from './${file}'`).join('\n')}
import type { Migration } from './migration.ts'

/** In this order. */
export const migrations: readonly Migration[] = [
${found.map(({ name }) => `  ${name},`).join('\n')}
]
`
}
