// The little of autocannon that we use; it comes without types.
declare module 'autocannon' {
  type Request = { method?: string; path?: string; body?: string; headers?: Record<string, string> }
  type Options = {
    url: string
    connections: number
    duration: number
    timeout: number
    requests: (Request & { setupRequest?: (request: Request) => Request })[]
  }
  type Result = {
    requests: { total: number }
    latency: { p50: number; p99: number }
    duration: number
    errors: number
    non2xx: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
