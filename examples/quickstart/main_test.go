package main

func Example() {
	main()
	// Output:
	// ann got "reports/nightly", token 1
	// ben is refused: ann holds it, token 1
	// renewed: true, and more than 30s are left: true
	// released: true
}
