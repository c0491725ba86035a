/* shapes -- C++ with what makes inline chains: templates, lambdas, virtual calls, exceptions. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes {

struct Point { double x, y; };

inline double square(double value) { return value * value; }
inline double distance(const Point &a, const Point &b) { return square(a.x - b.x) + square(a.y - b.y); }

class Shape {
public:
	virtual ~Shape() = default;
	virtual double area() const = 0;
	virtual std::string name() const { return "shape"; }
};

class Circle : public Shape {
public:
	explicit Circle(double radius) : radius_(radius) {}
	double area() const override { return 3.14159 * square(radius_); }
	std::string name() const override { return "circle" + std::to_string(radius_); }

private:
	double radius_;
};

template <typename Number> class Box : public Shape {
public:
	Box(Number width, Number height) : width_(width), height_(height)
	{
		if (width < 0 || height < 0)
			throw std::invalid_argument("negative box");
	}
	double area() const override { return static_cast<double>(scaled(2)) / 2; }
	Number scaled(int factor) const { return width_ * height_ * static_cast<Number>(factor); }

private:
	Number width_, height_;
};

static double total(const std::vector<std::unique_ptr<Shape>> &all)
{
	double sum = 0;
	std::for_each(all.begin(), all.end(), [&sum](const std::unique_ptr<Shape> &one) {
		sum += one->area();
	});
	return sum;
}

static std::map<std::string, int> count_names(const std::vector<std::unique_ptr<Shape>> &all)
{
	std::map<std::string, int> counts;

	for (const auto &one : all)
		counts[one->name()]++;
	return counts;
}

} // namespace shapes

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shapes::Shape>> all;

	try {
		for (int i = 0; i < argc + 3; i++) {
			all.push_back(std::make_unique<shapes::Circle>(i));
			all.push_back(std::make_unique<shapes::Box<int>>(i, argc));
			all.push_back(std::make_unique<shapes::Box<double>>(i - 2.0 * argc, 3));
		}
	} catch (const std::invalid_argument &error) {
		std::fprintf(stderr, "%s\n", error.what());
	}
	for (const auto &pair : shapes::count_names(all))
		std::printf("%s %d\n", pair.first.c_str(), pair.second);
	std::printf("%s %f %f\n", argv[0], shapes::total(all), shapes::distance({1, 2}, {3, 4.0 * argc}));
	return 0;
}
