"""What is compared: Reverie over HTTP, baselines in this process, and peers in environments of their own."""
