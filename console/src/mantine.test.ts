import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const styles = join(import.meta.dirname, '../../node_modules/@mantine/core/styles')

it('has the rules of each component that is used', () => {
  const imported = readFileSync(join(import.meta.dirname, 'mantine.css'), 'utf8')
  const used = new Set<string>()
  for (const file of globSync('**/*.tsx', { cwd: import.meta.dirname })) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    for (const [, names = ''] of source.matchAll(/import \{([^}]+)\} from '@mantine\/core'/g)) {
      for (const name of names.split(',')) used.add(name.trim())
    }
  }
  assert.ok(used.has('Button'))
  // Some are composed of others and have no rules of their own.
  const styled = [...used].filter((name) => existsSync(join(styles, `${name}.layer.css`)))
  assert.deepEqual(
    styled.filter((name) => !imported.includes(`/${name}.layer.css`)),
    [],
  )
})
