/** The users of the measurements: always the same ones, with names as the world writes them. */

// As written at home, and last in the letters of an e-mail address.
const firstNames = pairs(`
  Ada ada, Anna anna, Amélie amelie, Ángel angel, Bjørn bjorn, Camila camila, Chiara chiara, Daniel daniel,
  Elif elif, Emma emma, Fatima fatima, François francois, Grace grace, Hans-Jürgen hans-juergen, İbrahim ibrahim,
  Isabella isabella, James james, João joao, Katarzyna katarzyna, Lars lars, Łukasz lukasz, Maria maria,
  Mary Ann maryann, Muhammad muhammad, Nguyễn nguyen, Oliver oliver, Søren soren, Siobhán siobhan, Thomas thomas,
  Zoë zoe, Александр aleksandr, Жанна zhanna, Олена olena, Γιώργος giorgos, Ελένη eleni, 伟 wei, 秀英 xiuying,
  さくら sakura, 健太 kenta, 지우 jiwoo, محمد mohamed, ليلى layla, נועה noa, प्रिया priya, அருண் arun, สมชาย somchai`)
const lastNames = pairs(`
  Andersson andersson, Brown brown, da Silva dasilva, Dupont dupont, García garcia, Hopper hopper,
  Ivanova ivanova, Jensen jensen, Johnson johnson, Kaya kaya, Kowalska kowalska, Lovelace lovelace,
  Martínez martinez, Müller mueller, Nowak nowak, O'Brien obrien, Okafor okafor, Özdemir ozdemir, Rossi rossi,
  Schmidt schmidt, Smith smith, Strauß strauss, Trần tran, van den Berg vandenberg, Virtanen virtanen,
  Williams williams, Yılmaz yilmaz, Žižek zizek, Ångström angstrom, Иванов ivanov, Шевченко shevchenko,
  Παπαδόπουλος papadopoulos, 王 wang, 李 li, 佐藤 sato, 鈴木 suzuki, 김 kim, 박 park, حسن hassan, כהן cohen,
  शर्मा sharma, குமார் kumar`)
const domains = ['example.com', 'mail.example.org', 'example.net', 'students.example.edu', 'xn--bcher-kva.example']

const seed = 0x0badcafe
const firstCreatedAt = Date.parse('2024-01-01T00:00:00.000Z')

/** Numbers in 0 … 2³²−1 that only look random (xorshift32), so that each run and each machine has the same. */
export function randomNumbers(start = seed): () => number {
  let state = start
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

/** `count` users in the order of their ids; the first one is an administrator. */
export function* users(count: number) {
  const random = randomNumbers()
  let createdAt = firstCreatedAt
  for (let i = 0; i < count; i++) {
    const [first_name, first] = pick(firstNames, random())
    const [last_name, last] = pick(lastNames, random())
    const kind = random() % 100
    createdAt += 1 + (random() % 30_000)
    const at = new Date(createdAt).toISOString()
    yield {
      user_id: uuidv7(createdAt, random),
      username: `${first}.${last}.${i.toString(36)}`,
      email: kind < 90 ? `${first}.${last}${i}@${pick(domains, random())}` : null,
      external_id: kind % 4 === 0 ? `hr-${100_000 + i}` : null,
      first_name: kind === 99 ? '' : first_name,
      last_name: kind === 99 ? '' : last_name,
      role: i === 0 ? 'admin' : 'user',
      active: kind % 25 !== 1,
      has_password: false,
      last_login_at: null,
      created_at: at,
      updated_at: at,
    }
  }
}

/** What people type into a search field: names, parts and beginnings of them, addresses, and some without a match. */
export function searchTexts(userCount: number, count: number): string[] {
  const random = randomNumbers(seed + 1)
  return Array.from({ length: count }, (_, i) => {
    const [first_name, first] = pick(firstNames, random())
    const [last_name, last] = pick(lastNames, random())
    const number = random() % userCount
    const texts = [
      first_name,
      last_name,
      `${first_name} ${last_name}`,
      first.slice(0, 3),
      last.slice(-4),
      `${first}.${last}`,
      `${last}${number}`,
      `.${number.toString(36)}`,
      `hr ${number}`,
      pick(domains, random()),
    ].filter((text) => [...text].length >= 3)
    return texts[i % texts.length] as string
  })
}

/** Two or three words of a user, in any order: names, beginnings and parts of them, and a part of the address. */
export function searchWords(count: number): string[] {
  const random = randomNumbers(seed + 2)
  return Array.from({ length: count }, (_, i) => {
    const [first_name, first] = pick(firstNames, random())
    const [last_name, last] = pick(lastNames, random())
    const texts = [
      `${first_name} ${last_name}`,
      `${last_name}, ${first_name}`,
      `${last} ${first.slice(0, 3)}`,
      `${first} ${last.slice(-4)}`,
      `${last} ${first} ${pick(domains, random())}`,
      `${first_name} ${last_name} ${i % 10}`,
    ].filter((text) => text.split(/\s+/).some((word) => [...word].length >= 3))
    return texts[i % texts.length] as string
  })
}

/** Names with one typing error each: a character is missing, replaced or swapped with the next one. */
export function misspelt(count: number): string[] {
  const random = randomNumbers(seed + 3)
  const spoil = (name: string, n: number) => {
    const at = 1 + (random() % Math.max(1, name.length - 2))
    const [before, one, other, after] = [name.slice(0, at), name[at] ?? '', name[at + 1] ?? '', name.slice(at + 2)]
    return [before + other + after, `${before}q${other}${after}`, before + other + one + after][n % 3] as string
  }
  return Array.from({ length: count }, (_, i) => {
    const [[, first], [, last]] = [pick(firstNames, random()), pick(lastNames, random())]
    return i % 4 === 0 ? spoil(last, i) : `${first} ${spoil(last, i)}`
  })
}

function pairs(text: string): readonly (readonly [string, string])[] {
  return text.split(',').map((pair) => {
    const words = pair.trim().split(/\s+/)
    const latin = words.pop() as string
    return [words.join(' '), latin]
  })
}

function pick<T>(list: readonly T[], number: number): T {
  return list[number % list.length] as T
}

function uuidv7(ms: number, random: () => number): string {
  const time = ms.toString(16).padStart(12, '0')
  const tail = [random(), random(), random()].map((number) => number.toString(16).padStart(8, '0')).join('')
  const variant = (8 + (Number.parseInt(tail.slice(3, 4), 16) % 4)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-${variant}${tail.slice(4, 7)}-${tail.slice(7, 19)}`
}
