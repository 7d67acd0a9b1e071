// Ends with 0 when the service in this container answers. HEALTHCHECK asks for `live`, as a database that is away is no
// reason to start the container anew; whoever waits for the service asks for `ready`.
const { ROLLBOOK_PORT: port = 8080, ROLLBOOK_BASE_PATH: prefix = '/auth' } = process.env
const {
  argv: [, , state = 'live'],
} = process

fetch(`http://127.0.0.1:${port}${prefix.replace(/\/+$/, '')}/health/${state}`).then(
  ({ status }) => {
    process.exitCode = status === 200 ? 0 : 1
  },
  ({ cause, message }) => {
    console.error(cause?.message ?? message)
    process.exitCode = 1
  },
)
