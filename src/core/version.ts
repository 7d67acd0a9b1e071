import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { home } from '../lib/home.ts'

const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }

export const version = manifest.version
