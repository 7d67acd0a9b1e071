/** Links src/sdk as node_modules/@rollbook/sdk, so that the examples in a checkout import it by its name. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const link = join(root, 'node_modules/@rollbook/sdk')

if (existsSync(join(root, 'src/sdk/package.json')) && !existsSync(link)) {
  mkdirSync(join(link, '..'), { recursive: true })
  symlinkSync(join(root, 'src/sdk'), link, 'junction')
}
