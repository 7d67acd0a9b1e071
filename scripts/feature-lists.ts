/** Puts together what the features of app/features.ts offer, each list in a file of its own, so that a thread loads only its own. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { features } from '../src/app/features.ts'

const src = join(import.meta.dirname, '../src')

type Offer = { room: string; name: string; file: string }

/** The features that export `name` from their `door`, such as `changes.ts`. */
function offers(door: string, name: string): Offer[] {
  const exported = new RegExp(
    String.raw`^export (async )?(const|function) ${name}\b|^export \{[^}]*\b${name}\b[^}]*\}`,
    'm',
  )
  return features.flatMap((room) => {
    const file = join(src, room, door)
    return existsSync(file) && exported.test(readFileSync(file, 'utf8'))
      ? [{ room, name, file: `../../${room}/${door}` }]
      : []
  })
}

const aliasOf = ({ room, name }: Offer) => camelCase(`${room}/${name}`)

/** `administration/users-list/routes`: `administrationUsersListRoutes` */
function camelCase(path: string): string {
  return path.replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())
}

function imports(all: readonly Offer[]): string {
  const files = Object.entries(Object.groupBy(all, ({ file }) => file))
  // Folder by folder, as the formatter sorts them.
  const inOrder = files.toSorted(([a], [b]) => (a.replaceAll('/', '\0') < b.replaceAll('/', '\0') ? -1 : 1))
  const names = (some: readonly Offer[]) => some.map((offer) => `${offer.name} as ${aliasOf(offer)}`).toSorted()
  return inOrder.map(([file, some = []]) => `import { ${names(some).join(', ')} } from '${file}'`).join('\n')
}

const head = '/** Made from app/features.ts by `npm run generate`. */'

/** A file with each of `lists`: an array of what the features offer, or one object with all members. */
function render(lists: readonly { name: string; door: string; as: 'members' | 'elements' | 'items' }[]): string {
  const found = lists.map((list) => ({ ...list, all: offers(list.door, list.name) }))
  const values = found.map(({ name, as, all }) => {
    const entries = all.map((offer) => `${as === 'items' ? '' : '...'}${aliasOf(offer)},`).join('\n')
    return as === 'members'
      ? `export const ${name} = {\n${entries}\n}`
      : `export const ${name} = [\n${entries}\n] as const`
  })
  return [head, imports(found.flatMap(({ all }) => all)), '', values.join('\n\n'), ''].join('\n')
}

/** A folder that offers something and is in no line would be forgotten without a word. */
function refuseUnlisted(): void {
  const doors = globSync('{access,directory,administration,record,operations,scim}/**/{routes,changes}.ts', {
    cwd: src,
  })
  const unlisted = doors.filter((file) => {
    const room = file.slice(0, file.lastIndexOf('/'))
    const offered = /^export (async )?(const|function) (routes|changes)\b/m.test(readFileSync(join(src, file), 'utf8'))
    return offered && !features.some((feature) => feature === room)
  })
  if (unlisted.length > 0) throw new Error(`src/app/features.ts lacks the features of ${unlisted.join(', ')}.`)
}

export const featureLists = [
  {
    path: 'src/app/generated/routes.ts',
    render: () => {
      refuseUnlisted()
      return render([{ name: 'routes', door: 'routes.ts', as: 'items' }])
    },
  },
  {
    path: 'src/app/generated/schemas.ts',
    render: () => render([{ name: 'schemas', door: 'schema.ts', as: 'elements' }]),
  },
  {
    path: 'src/app/generated/changes.ts',
    render: () =>
      render([
        { name: 'changes', door: 'changes.ts', as: 'members' },
        { name: 'traits', door: 'changes.ts', as: 'members' },
      ]),
  },
  {
    path: 'src/app/generated/jobs.ts',
    render: () => render([{ name: 'jobs', door: 'service.ts', as: 'items' }]),
  },
  {
    path: 'src/app/generated/metrics.ts',
    render: () => render([{ name: 'metrics', door: 'service.ts', as: 'items' }]),
  },
  {
    path: 'src/app/generated/queries.ts',
    render: () =>
      render([
        { name: 'queries', door: 'service.ts', as: 'members' },
        { name: 'streams', door: 'service.ts', as: 'members' },
      ]),
  },
]
